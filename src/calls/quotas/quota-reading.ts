import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';

export const HOUR_MS = 3_600_000;
/** Who used a bucket within this time has a share in it. */
export const WEEK_MS = 7 * 24 * HOUR_MS;

/** Until when the providers of buckets refuse, and when the next request may try whether they still do; 0 if they do not. */
export async function readStates(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly closedUntilMs: number; readonly probeAtMs: number }>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('quota_buckets')
    .select(['bucket', 'closed_until_ms as closedUntilMs', 'probe_at_ms as probeAtMs'])
    .where('bucket', 'in', ids)
    .execute();
  return new Map(rows.map(({ bucket, ...state }) => [bucket, state]));
}

/** What is known of a bucket in use, in milliseconds since the epoch. */
export interface BucketReading {
  readonly nowMs: number;
  /** When the day ends; 0 if nothing was sent. */
  readonly endsMs: number;
  /** Sent today, as far as it has been reported. */
  readonly sent: number;
  /** Until when the provider refuses every request; 0 if it does not. */
  readonly closedUntilMs: number;
  /** What each tenant has sent today, the most first. */
  readonly tenants: readonly { readonly tenantId: string; readonly sent: number }[];
  /** Tenants that used it within 7 days. */
  readonly members: number;
}

export async function readUse(
  db: Kysely<Tables>,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, BucketReading>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('quota_use')
    .select(['bucket', 'tenant_id as tenantId', 'ends_ms as endsMs', 'sent'])
    .where('bucket', 'in', ids)
    .where('called_ms', '>', nowMs - WEEK_MS)
    .orderBy('sent', 'desc')
    .execute();
  const states = await readStates(db, ids);
  const byBucket = Map.groupBy(rows, ({ bucket }) => bucket);
  return new Map(
    ids
      .filter((id) => byBucket.has(id) || states.has(id))
      .map((id) => {
        const uses = byBucket.get(id) ?? [];
        const whole = uses.find(({ tenantId }) => tenantId === '');
        const members = uses.filter(({ tenantId }) => tenantId !== '');
        const endsMs = whole?.endsMs ?? 0;
        const tenants = members
          .filter((member) => member.endsMs === endsMs)
          .map(({ tenantId, sent }) => ({ tenantId, sent }));
        return [
          id,
          {
            ...{ nowMs, endsMs, sent: whole?.sent ?? 0, tenants, members: members.length },
            closedUntilMs: states.get(id)?.closedUntilMs ?? 0,
          },
        ];
      }),
  );
}
