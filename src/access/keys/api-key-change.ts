import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type AdminEntry, appendAdminEntry } from '../trail/admin-trail.ts';
import { type ApiKeyRecord, selectKeys, toRecord } from './api-key-record.ts';
import { checkApiKey } from './check-api-key.ts';
import { columnsOf, type KeyChange, type KeyColumns } from './key-columns.ts';
import { raiseVersion } from './key-version.ts';
import { giveRateLimit, type LimitGiver } from './rate-limit-cap.ts';

export interface ApiKeyStoreDeps extends LimitGiver {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Who creates and changes keys, for the administrative trail. */
  readonly actor?: string;
}

/** Which key is meant. */
export interface KeyTarget {
  readonly id: string;
  /** A key of another tenant does not exist. */
  readonly tenantId?: string | undefined;
  /** The revision on which the decision was based. A later one is a `conflict`. */
  readonly revision?: number | undefined;
}

/** Changes a key that is not revoked: a revocation is permanent. Rejects with `not_found` and `conflict`. */
export function changeKey(
  deps: ApiKeyStoreDeps,
  target: KeyTarget,
  change: KeyChange,
): Promise<ApiKeyRecord> {
  checkApiKey(change);
  return deps.db.transaction().execute(async (transaction) => {
    const version = await raiseVersion(transaction);
    const before = await requireUsable(transaction, target);
    const given = giveRateLimit(deps, change, before);
    const columns = columnsOf({ ...change, ...given });
    const after = await updateKey(transaction, before, { ...columns, version });
    await appendAdminEntry(transaction, entryOf(deps, after, 'key.changed', membersOf(change)));
    return after;
  });
}

/** Revokes a key; has no effect on a revoked one. Rejects with `not_found` and `conflict`. */
export function revokeKey(deps: ApiKeyStoreDeps, target: KeyTarget): Promise<ApiKeyRecord> {
  return deps.db.transaction().execute(async (transaction) => {
    const version = await raiseVersion(transaction);
    const before = await requireKey(transaction, target);
    if (before.revokedAtMs !== null) return before;
    assertRevision(before, target);
    const after = await updateKey(transaction, before, {
      revoked_at_ms: deps.clock.now(),
      version,
    });
    await appendAdminEntry(transaction, entryOf(deps, after, 'key.revoked', describe(after)));
    return after;
  });
}

/** Writes columns of a key. Call it with the version that this transaction has raised. */
export async function updateKey(
  transaction: Kysely<Tables>,
  { id, revision }: ApiKeyRecord,
  { version, ...columns }: KeyColumns & { readonly version: number },
): Promise<ApiKeyRecord> {
  await transaction
    .updateTable('api_keys')
    .set({ ...columns, revision: revision + 1, changed_version: version })
    .where('id', '=', id)
    .execute();
  return requireKey(transaction, { id });
}

/** The key; rejects with `not_found`. */
export async function requireKey(
  db: Kysely<Tables>,
  { id, tenantId }: KeyTarget,
): Promise<ApiKeyRecord> {
  const row = await selectKeys(db).where('api_keys.id', '=', id).executeTakeFirst();
  if (row && (tenantId === undefined || row.tenant_id === tenantId)) return toRecord(row);
  const text = JSON.stringify(id.slice(0, 100));
  throw new GatewayError('not_found', `There is no API key ${text}.`);
}

/** The key, if it is not revoked and nothing has changed since the target's revision. */
export async function requireUsable(db: Kysely<Tables>, target: KeyTarget): Promise<ApiKeyRecord> {
  const key = await requireKey(db, target);
  if (key.revokedAtMs !== null) {
    throw new GatewayError('conflict', 'This API key is revoked. Create a new one.');
  }
  assertRevision(key, target);
  return key;
}

function assertRevision({ revision }: ApiKeyRecord, target: KeyTarget): void {
  if (target.revision === undefined || target.revision === revision) return;
  throw new GatewayError(
    'conflict',
    'This API key was changed meanwhile. Load it again before you change it.',
  );
}

/** An entry of the trail about a key. */
export const entryOf = (
  { clock, actor = 'unknown' }: ApiKeyStoreDeps,
  { id, tenantId }: ApiKeyRecord,
  action: AdminEntry['action'],
  details: AdminEntry['details'],
): AdminEntry => ({
  timestampMs: clock.now(),
  tenantId,
  actor,
  action,
  subjectId: id,
  details,
});

/** What the trail records of a key that was created or revoked. Limits that it does not have are omitted. */
export const describe = (key: ApiKeyRecord): AdminEntry['details'] => ({
  name: key.name,
  allowedTools: key.allowedTools,
  expiresAtMs: key.expiresAtMs,
  ...(key.mode !== null && { mode: key.mode }),
  ...(key.rateLimitPerMinute !== null && { rateLimitPerMinute: key.rateLimitPerMinute }),
  ...(key.dailyLimit !== null && { dailyLimit: key.dailyLimit }),
  ...(key.rotatedFrom !== null && { rotatedFrom: key.rotatedFrom }),
});

const membersOf = (change: KeyChange): AdminEntry['details'] =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
