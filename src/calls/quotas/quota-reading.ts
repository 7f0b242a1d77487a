import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';

export const HOUR_MS = 3_600_000;
/** Who used a bucket within this time has a share in it. */
export const WEEK_MS = 7 * 24 * HOUR_MS;

/** The time of the database, in milliseconds since the epoch. */
export type Now = () => RawBuilder<number>;

/** The columns of `BucketFacts`. */
export const FACTS = [
  'bucket',
  'ends_ms as endsMs',
  'granted',
  'sent',
  'closed_until_ms as closedUntilMs',
  'probe_at_ms as probeAtMs',
] as const;

/** What the database says of a bucket, by its own clock. */
export interface BucketFacts {
  /** The time of the database, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** When the day ends. */
  readonly endsMs: number;
  /** Leased today. */
  readonly granted: number;
  /** Sent today, as far as it has been reported. */
  readonly sent: number;
  /** Until when the provider refuses every request; null if it does not. */
  readonly closedUntilMs: number | null;
  /** When the next request may try whether it still does. */
  readonly probeAtMs: number | null;
}

export async function readFacts(
  db: Kysely<Tables>,
  ids: readonly string[],
  now: RawBuilder<number>,
): Promise<ReadonlyMap<string, BucketFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('quota_buckets')
    .select([...FACTS, now.as('nowMs')])
    .where('bucket', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ bucket, ...facts }) => [bucket, { ...facts, nowMs: Number(facts.nowMs) }]),
  );
}

/** What a tenant has had today. */
export interface TenantUse {
  readonly tenantId: string;
  readonly granted: number;
  readonly sent: number;
}

/** What is known of a bucket in use. */
export interface BucketReading extends BucketFacts {
  readonly tenants: readonly TenantUse[];
  /** Tenants that used it within 7 days. */
  readonly members: number;
  /** Requests of the last hour; and when the first of them was sent, null without any. */
  readonly lastHour: number;
  readonly sinceMs: number | null;
}

export async function readUse(
  db: Kysely<Tables>,
  ids: readonly string[],
  now: RawBuilder<number>,
): Promise<ReadonlyMap<string, BucketReading>> {
  const facts = await readFacts(db, ids, now);
  if (facts.size === 0) return new Map();
  const known = [...facts.keys()];
  const shares = await db
    .selectFrom('quota_shares')
    .select(['bucket', 'tenant_id as tenantId', 'ends_ms as endsMs', 'granted', 'sent'])
    .where('bucket', 'in', known)
    .where('called_ms', '>', sql<number>`${now} - ${WEEK_MS}`)
    .orderBy('sent', 'desc')
    .execute();
  const paces = await db
    .selectFrom('quota_minutes')
    .select(({ fn }) => [
      'bucket',
      fn.sum<number>('sent').as('sent'),
      fn.min('minute_ms').as('sinceMs'),
    ])
    .where('bucket', 'in', known)
    .where('minute_ms', '>', sql<number>`${now} - ${HOUR_MS}`)
    .groupBy('bucket')
    .execute();
  const sharesOf = Map.groupBy(shares, ({ bucket }) => bucket);
  const paceOf = new Map(paces.map((pace) => [pace.bucket, pace]));
  return new Map(
    [...facts].map(([bucket, each]) => {
      const members = sharesOf.get(bucket) ?? [];
      const pace = paceOf.get(bucket);
      const tenants = members
        .filter(({ endsMs }) => endsMs === each.endsMs)
        .map(({ tenantId, granted, sent }) => ({ tenantId, granted, sent }));
      const reading = {
        ...each,
        tenants,
        members: members.length,
        lastHour: Number(pace?.sent ?? 0),
        sinceMs: pace ? Number(pace.sinceMs) : null,
      };
      return [bucket, reading];
    }),
  );
}
