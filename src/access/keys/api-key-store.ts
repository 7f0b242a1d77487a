import { timingSafeEqual } from 'node:crypto';
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { ApiKeysTable, Tables, TenantsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newApiKeyId, newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { type AdminEntry, appendAdminEntry } from '../trail/admin-trail.ts';
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
  /** Sets the tools a key may use; null = all of its tenant's. Rejects with `not_found` for an unknown id. */
  allow(id: string, tools: readonly string[] | null): Promise<ApiKeyRecord>;
  /** The key of that SHA-256 in hex, whatever its state. */
  findByDigest(digest: string): Promise<ApiKeyRecord | undefined>;
  /** Rises with every key that is made or changed. */
  version(): Promise<number>;
  /** Keys changed after that version. */
  changedSince(version: number): Promise<readonly ChangedKey[]>;
}

export interface ChangedKey {
  readonly id: string;
  readonly digest: string;
  /** What happened to it last. */
  readonly change: 'created' | 'changed' | 'revoked';
  /** Null = all tools of the tenant. */
  readonly allowedTools: readonly string[] | null;
}

export interface ApiKeyStoreDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Who makes and changes keys, for the administrative trail. */
  readonly actor?: string;
}

export function createApiKeyStore(deps: ApiKeyStoreDeps): ApiKeyStore {
  const { db } = deps;
  return {
    create: async (key) => {
      const text = new Secret(newApiKeyText());
      return { record: await insert(deps, key, text), text };
    },
    ensure: (key, text) => insert(deps, key, text),
    list: async (tenantId) => {
      const all = selectKeys(db).orderBy('api_keys.id');
      const rows = await runQuery(() =>
        (tenantId === undefined ? all : all.where('tenant_id', '=', tenantId)).execute(),
      );
      return rows.map(toRecord);
    },
    revoke: (id) =>
      runQuery(() => change(deps, id, { revoked_at_ms: deps.clock.now() }, 'key.revoked')),
    allow: (id, tools) => {
      const values = { allowed_tools: tools && JSON.stringify(tools) };
      return runQuery(() => change(deps, id, values, 'key.changed'));
    },
    findByDigest: (digest) => runQuery(() => findByDigest(db, digest)),
    version: () => runQuery(() => readVersion(db)),
    changedSince: (version) =>
      runQuery(async () => {
        const rows = await db
          .selectFrom('api_keys')
          .select([
            'id',
            'hash',
            'revoked_at_ms',
            'allowed_tools',
            'changed_version',
            'created_version',
          ])
          .where('changed_version', '>', version)
          .execute();
        return rows.map((row) => ({
          id: row.id,
          digest: row.hash,
          change: lastChangeOf(row),
          allowedTools: toolsOf(row.allowed_tools),
        }));
      }),
  };
}

function lastChangeOf(
  row: Pick<ApiKeysTable, 'revoked_at_ms' | 'changed_version' | 'created_version'>,
): ChangedKey['change'] {
  if (row.revoked_at_ms !== null) return 'revoked';
  return row.changed_version === row.created_version ? 'created' : 'changed';
}

/** Makes the key unless one of the same text is there; returns the one that is there now. */
async function insert(
  { db, clock, actor }: ApiKeyStoreDeps,
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
  return runQuery(() =>
    db.transaction().execute(async (transaction) => {
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('api_keys')
        .values(row)
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .executeTakeFirst();
      const record = await findByDigest(transaction, row.hash);
      if (!record) throw new GatewayError('internal');
      if (!numInsertedOrUpdatedRows) return record;
      const version = await raiseVersion(transaction);
      await transaction
        .updateTable('api_keys')
        .set({ created_version: version, changed_version: version })
        .where('id', '=', record.id)
        .execute();
      await appendAdminEntry(
        transaction,
        entryOf(record, 'key.created', record.createdAtMs, actor),
      );
      return record;
    }),
  );
}

/** Changes a key unless it is revoked, which is for good. */
function change(
  { db, clock, actor }: ApiKeyStoreDeps,
  id: string,
  values: Pick<Updateable<ApiKeysTable>, 'revoked_at_ms' | 'allowed_tools'>,
  action: 'key.changed' | 'key.revoked',
): Promise<ApiKeyRecord> {
  return db.transaction().execute(async (transaction) => {
    const version = await raiseVersion(transaction);
    const { numUpdatedRows } = await transaction
      .updateTable('api_keys')
      .set({ ...values, changed_version: version })
      .where('id', '=', id)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    const row = await selectKeys(transaction).where('api_keys.id', '=', id).executeTakeFirst();
    if (!row) {
      const text = JSON.stringify(id.slice(0, 100));
      throw new GatewayError('not_found', `There is no API key ${text}.`);
    }
    const record = toRecord(row);
    if (numUpdatedRows > 0) {
      await appendAdminEntry(transaction, entryOf(record, action, clock.now(), actor));
    }
    return record;
  });
}

/** The counter's row lock puts changes in the order of their versions: who has seen one has seen all below it. */
async function raiseVersion(transaction: Kysely<Tables>): Promise<number> {
  const { version } = await transaction
    .updateTable('changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('topic', '=', 'api_keys')
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

const entryOf = (
  { id, tenantId, name, allowedTools, expiresAtMs }: ApiKeyRecord,
  action: AdminEntry['action'],
  timestampMs: number,
  actor = 'unknown',
): AdminEntry => ({
  timestampMs,
  tenantId,
  actor,
  action,
  subjectId: id,
  details: action === 'key.changed' ? { allowedTools } : { name, allowedTools, expiresAtMs },
});

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

const toolsOf = (column: string | null): readonly string[] | null =>
  column === null ? null : JSON.parse(column);

function toRecord(
  row: Selectable<ApiKeysTable> & { tenant_slug: TenantsTable['slug'] },
): ApiKeyRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tenantSlug: row.tenant_slug,
    name: row.name,
    prefix: row.prefix,
    allowedTools: toolsOf(row.allowed_tools),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
  };
}
