import { timingSafeEqual } from 'node:crypto';
import type { Insertable, Kysely, Selectable } from 'kysely';
import { runQuery } from '../database/database-error.ts';
import type { ApiKeysTable, Tables, TenantsTable } from '../database/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/error.ts';
import { newApiKeyId, newApiKeyText } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import { digestOf, isKeyText, prefixOf } from './key-text.ts';

/** What is known of a key; its text is not. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly name: string;
  readonly prefix: string;
  /** Null = all tools of the tenant. */
  readonly allowedTools: readonly string[] | null;
  readonly createdAtMs: number;
  /** Null = never. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export interface NewApiKey {
  readonly tenantId: string;
  readonly name: string;
  readonly expiresAtMs?: number | undefined;
  readonly allowedTools?: readonly string[] | undefined;
}

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export interface ApiKeyStore {
  /** Makes a key; this is the only time its text is to be had. */
  create(key: NewApiKey): Promise<{ record: ApiKeyRecord; text: Secret }>;
  /** Makes a key whose text the operator chose, unless it is there (even if revoked). */
  ensure(key: NewApiKey, text: Secret): Promise<ApiKeyRecord>;
  /** Oldest first; of one tenant, or of all. */
  list(tenantId?: string): Promise<readonly ApiKeyRecord[]>;
  /** Ends a key for good; once more does nothing. Rejects with `not_found` for an unknown id. */
  revoke(id: string): Promise<ApiKeyRecord>;
  /** The key of that SHA-256 in hex, whatever its state. */
  findByDigest(digest: string): Promise<ApiKeyRecord | undefined>;
  /** Rises with every revocation. */
  version(): Promise<number>;
  /** Keys revoked after that version, and their digests. */
  revokedSince(version: number): Promise<readonly { id: string; digest: string }[]>;
}

export function createApiKeyStore(deps: { db: Kysely<Tables>; clock: Clock }): ApiKeyStore {
  const { db, clock } = deps;
  return {
    create: async (key) => {
      const text = new Secret(newApiKeyText());
      return { record: await insert(db, clock, key, text), text };
    },
    ensure: (key, text) => insert(db, clock, key, text),
    list: async (tenantId) => {
      const all = selectKeys(db).orderBy('api_keys.id');
      const rows = await runQuery(() =>
        (tenantId === undefined ? all : all.where('tenant_id', '=', tenantId)).execute(),
      );
      return rows.map(toRecord);
    },
    revoke: (id) => runQuery(() => revoke(db, clock, id)),
    findByDigest: (digest) => runQuery(() => findByDigest(db, digest)),
    version: () => runQuery(() => readVersion(db)),
    revokedSince: (version) =>
      runQuery(() =>
        db
          .selectFrom('api_keys')
          .select(['id', 'hash as digest'])
          .where('revoked_version', '>', version)
          .execute(),
      ),
  };
}

async function insert(
  db: Kysely<Tables>,
  clock: Clock,
  key: NewApiKey,
  text: Secret,
): Promise<ApiKeyRecord> {
  const keyText = text.reveal();
  if (!isKeyText(keyText)) {
    throw new GatewayError(
      'invalid_arguments',
      'A key is tg_live_ followed by 43 letters and digits.',
    );
  }
  const row: Insertable<ApiKeysTable> = {
    id: newApiKeyId(),
    tenant_id: key.tenantId,
    name: key.name,
    prefix: prefixOf(keyText),
    hash: digestOf(keyText),
    allowed_tools: key.allowedTools ? JSON.stringify(key.allowedTools) : null,
    created_at_ms: clock.now(),
    expires_at_ms: key.expiresAtMs ?? null,
  };
  return runQuery(async () => {
    await db
      .insertInto('api_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
    const record = await findByDigest(db, row.hash);
    if (record) return record;
    throw new GatewayError('internal');
  });
}

/**
 * The counter is raised first: its row lock puts revocations in the order of their versions, so that who has seen a
 * version has seen all below it.
 */
function revoke(db: Kysely<Tables>, clock: Clock, id: string): Promise<ApiKeyRecord> {
  return db.transaction().execute(async (transaction) => {
    const { version } = await transaction
      .updateTable('changes')
      .set((row) => ({ version: row('version', '+', 1) }))
      .where('topic', '=', 'api_keys')
      .returning('version')
      .executeTakeFirstOrThrow();
    await transaction
      .updateTable('api_keys')
      .set({ revoked_at_ms: clock.now(), revoked_version: version })
      .where('id', '=', id)
      .where('revoked_at_ms', 'is', null)
      .execute();
    const row = await selectKeys(transaction).where('api_keys.id', '=', id).executeTakeFirst();
    if (row) return toRecord(row);
    throw new GatewayError('not_found', `There is no API key ${JSON.stringify(id.slice(0, 100))}.`);
  });
}

async function findByDigest(db: Kysely<Tables>, digest: string): Promise<ApiKeyRecord | undefined> {
  const row = await selectKeys(db).where('hash', '=', digest).executeTakeFirst();
  // What counts as equal text is otherwise for the database's collation to say.
  return row && timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest))
    ? toRecord(row)
    : undefined;
}

async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { version } = await db
    .selectFrom('changes')
    .select('version')
    .where('topic', '=', 'api_keys')
    .executeTakeFirstOrThrow();
  return version;
}

const selectKeys = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
    .selectAll('api_keys')
    .select('tenants.slug as tenant_slug');

function toRecord(
  row: Selectable<ApiKeysTable> & { tenant_slug: TenantsTable['slug'] },
): ApiKeyRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tenantSlug: row.tenant_slug,
    name: row.name,
    prefix: row.prefix,
    allowedTools: row.allowed_tools === null ? null : JSON.parse(row.allowed_tools),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
  };
}
