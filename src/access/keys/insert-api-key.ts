import type { Insertable, Kysely } from 'kysely';
import type { ApiKeysTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isApiKeyText, newApiKeyId } from '../../platform/kernel/ids.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';
import { type ApiKeyStoreDeps, describe, entryOf } from './api-key-change.ts';
import { type ApiKeyRecord, findByDigest } from './api-key-record.ts';
import { checkApiKey } from './check-api-key.ts';
import { columnsOf, type GivenLimit, type KeyChange } from './key-columns.ts';
import { digestOf, prefixOf } from './key-text.ts';
import { raiseVersion } from './key-version.ts';
import { makeRoom } from './make-room.ts';
import { giveRateLimit } from './rate-limit-cap.ts';

export interface NewApiKey extends KeyChange {
  readonly tenantId: string;
  readonly name: string;
}

/** Creates the key unless one with the same text exists. Returns the one that exists now. */
export async function insertKey(
  deps: ApiKeyStoreDeps,
  key: NewApiKey,
  text: Secret,
): Promise<ApiKeyRecord> {
  const row = rowOf(deps, { ...key, ...giveRateLimit(deps, key) }, text);
  return deps.db.transaction().execute(async (transaction) => {
    const existing = await findByDigest(transaction, row.hash);
    if (existing) return existing;
    const version = await raiseVersion(transaction);
    await makeRoom(transaction, key.tenantId, deps.clock.now());
    return insertRow(deps, transaction, { ...row, created_version: version });
  });
}

/** The row of a new key. Throws `invalid_arguments`. */
export function rowOf(
  { clock, actor }: ApiKeyStoreDeps,
  key: NewApiKey & GivenLimit,
  text: Secret,
): Insertable<ApiKeysTable> {
  const keyText = text.reveal();
  if (!isApiKeyText(keyText)) {
    throw new GatewayError(
      'invalid_arguments',
      'An API key is tg_live_ followed by 43 letters and digits.',
    );
  }
  checkApiKey(key);
  return {
    id: newApiKeyId(),
    tenant_id: key.tenantId,
    prefix: prefixOf(keyText),
    hash: digestOf(keyText),
    created_at_ms: clock.now(),
    owner: actor ?? null,
    ...columnsOf(key),
    name: key.name.trim(),
  };
}

/** Call it with the version that this transaction has raised: only one transaction at a time has one. */
export async function insertRow(
  deps: ApiKeyStoreDeps,
  transaction: Kysely<Tables>,
  row: Insertable<ApiKeysTable>,
): Promise<ApiKeyRecord> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('api_keys')
    .values({ ...row, changed_version: row.created_version ?? null })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst();
  const record = await findByDigest(transaction, row.hash);
  if (!record) throw new GatewayError('internal');
  if (numInsertedOrUpdatedRows) {
    await appendAdminEntry(transaction, entryOf(deps, record, 'key.created', describe(record)));
  }
  return record;
}
