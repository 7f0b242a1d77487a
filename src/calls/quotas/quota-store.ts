import { sql, type Transaction } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { zonedDay } from '../../platform/kernel/zoned-day.ts';
import type { Bucket } from './quota-bucket.ts';
import {
  type BucketFacts,
  FACTS,
  HOUR_MS,
  type Now,
  readFacts,
  readUse,
  WEEK_MS,
} from './quota-reading.ts';
import { afterGrant, type BucketUse, shareOf, unitsFor } from './quota-shares.ts';

const MINUTE_MS = 60_000;
/** Who called within this time may claim its whole share. */
const CLAIMING_MS = 30 * MINUTE_MS;
/** Leases of the day before may be under way for so long after midnight. */
export const NEW_DAY_AFTER_MS = 5000;
/** A provider that has refused is asked again so often. */
const PROBE_MS = 10 * MINUTE_MS;
/** So close to midnight, the clock of the provider may show another day. */
export const NEAR_MIDNIGHT_MS = 5 * MINUTE_MS;
/** Parts of a day, so that the claims are whole numbers. */
const PARTS = 1000;

export interface Asking {
  readonly tenantId: string;
  readonly wanted: number;
}

export interface Granted {
  readonly tenantId: string;
  /** 0 = none is left for this tenant. */
  readonly units: number;
  /** Leased today by this tenant, these included. */
  readonly had: number;
  /** What it may have whatever the others do. */
  readonly share: number;
}

/** What a process reports of one tenant's requests. */
export interface Report {
  readonly bucket: Bucket;
  readonly tenantId: string;
  /** The day that they belong to. */
  readonly endsMs: number;
  readonly sent: number;
  /** Leased units that are not used. */
  readonly returned: number;
}

export interface QuotaStoreDeps {
  readonly database: Pick<Database, 'db' | 'backend'>;
  /** The clock of the day where the database has none. */
  readonly clock: Clock;
}

export type QuotaStore = ReturnType<typeof createQuotaStore>;

/** The ledger in the database. Every method rejects with `unavailable` while the database is away. */
export function createQuotaStore({ database: { db, backend }, clock }: QuotaStoreDeps) {
  const now: Now = () =>
    backend === 'postgres'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`${clock.now()}`;
  /** Runs a change of buckets in a transaction. */
  const change = <T>(work: (locking: Locking) => Promise<T>): Promise<T> =>
    runQuery(() => db.transaction().execute((transaction) => work({ transaction, now })));
  const update = () => db.updateTable('quota_buckets');

  return {
    /** Leases units to tenants of one process, each at most once. None is leased between midnight and the new day. */
    grant: (bucket: Bucket, asking: readonly Asking[], processes: number) =>
      change((locking) => grant(locking, bucket, { asking, processes })),
    /** Enters what was sent and what is returned, and returns what is known of these buckets, and of others, by id. */
    settle: (reports: readonly Report[], others: readonly Bucket[]) =>
      change((locking) => settle(locking, reports, others)),
    /** The provider refuses: closes the bucket for every process. */
    close: (bucket: Bucket): Promise<BucketFacts> => change((locking) => close(locking, bucket)),
    /** Whether this process may send the one request that tries whether the provider still refuses. */
    takeProbe: async ({ id }: Bucket): Promise<boolean> => {
      const next = { probe_at_ms: sql<number>`${now()} + ${sql.lit(PROBE_MS)}` };
      const probed = update().set(next).where('bucket', '=', id).where('probe_at_ms', '<=', now());
      return (await runQuery(() => probed.executeTakeFirst())).numUpdatedRows > 0n;
    },
    /** The provider answers again. */
    reopen: async ({ id }: Bucket): Promise<undefined> => {
      const open = { closed_until_ms: null, probe_at_ms: null };
      await runQuery(() => update().set(open).where('bucket', '=', id).execute());
    },
    /** Whether this process is the one to warn that a bucket is running out, once in its day. */
    takeWarning: async ({ id }: Bucket, endsMs: number): Promise<boolean> => {
      const warned = update().set({ warned_ms: endsMs }).where('bucket', '=', id);
      const first = warned.where((row) =>
        row.or([row('warned_ms', 'is', null), row('warned_ms', '<', endsMs)]),
      );
      return (await runQuery(() => first.executeTakeFirst())).numUpdatedRows > 0n;
    },
    /** What has been used of these buckets today, by which tenant, and how fast within the last hour. */
    read: (ids: readonly string[]) => runQuery(() => readUse(db, ids, now())),
    /** Removes what no day, share or forecast needs any more. */
    trim: () =>
      runQuery(async () => {
        const weekAgo = sql<number>`${now()} - ${sql.lit(WEEK_MS)}`;
        const hoursAgo = sql<number>`${now()} - ${sql.lit(2 * HOUR_MS)}`;
        await db.deleteFrom('quota_shares').where('called_ms', '<', weekAgo).execute();
        await db.deleteFrom('quota_buckets').where('ends_ms', '<', weekAgo).execute();
        await db.deleteFrom('quota_minutes').where('minute_ms', '<', hoursAgo).execute();
      }),
  };
}

/** A transaction, and the time of the database within it. */
interface Locking {
  readonly transaction: Transaction<Tables>;
  readonly now: Now;
}

/** Locks the row of a bucket until the transaction ends, and begins its day if the one before is over. */
async function lock({ transaction, now }: Locking, bucket: Bucket): Promise<BucketFacts> {
  const row = await transaction
    .insertInto('quota_buckets')
    .values({ bucket: bucket.id, ends_ms: 0, granted: 0, sent: 0 })
    .onConflict((conflict) => conflict.column('bucket').doUpdateSet({ bucket: bucket.id }))
    .returning([...FACTS, now().as('nowMs')])
    .executeTakeFirstOrThrow();
  const { bucket: _, ...facts } = { ...row, nowMs: Number(row.nowMs) };
  const beginsMs = facts.endsMs + NEW_DAY_AFTER_MS;
  if (facts.endsMs > 0 && facts.nowMs < beginsMs) return facts;
  const endsMs = zonedDay(facts.nowMs, bucket.zone).endMs;
  const day = { granted: 0, sent: 0 };
  await transaction
    .updateTable('quota_buckets')
    .set({ ...day, ends_ms: endsMs, closed_until_ms: null, probe_at_ms: null })
    .where('bucket', '=', bucket.id)
    .execute();
  return { ...facts, ...day, endsMs, closedUntilMs: null, probeAtMs: null };
}

async function grant(
  locking: Locking,
  bucket: Bucket,
  { asking, processes }: { readonly asking: readonly Asking[]; readonly processes: number },
): Promise<{ readonly facts: BucketFacts; readonly granted: readonly Granted[] }> {
  const { transaction } = locking;
  const facts = await lock(locking, bucket);
  const limit = bucket.limit ?? 0;
  if (facts.nowMs >= facts.endsMs || limit === 0) return { facts, granted: [] };
  const had = await enter(transaction, bucket, { asking, facts });
  let use = await useOf(transaction, bucket, { limit, facts });
  const granted = asking.map(({ tenantId, wanted }): Granted => {
    const before = had.get(tenantId) ?? 0;
    const units = unitsFor(use, { had: before, wanted }, processes);
    use = afterGrant(use, { had: before, units });
    return { tenantId, units, had: before + units, share: shareOf(limit, use.members) };
  });
  await addGranted(transaction, bucket, granted);
  return { facts: { ...facts, granted: use.granted }, granted };
}

async function settle(
  locking: Locking,
  reports: readonly Report[],
  others: readonly Bucket[],
): Promise<ReadonlyMap<string, BucketFacts>> {
  const { transaction, now } = locking;
  const byBucket = Map.groupBy(reports, ({ bucket }) => bucket);
  // Every process locks the rows in the same order.
  const sorted = [...byBucket].sort(([a], [b]) => (a.id < b.id ? -1 : 1));
  for (const [bucket, own] of sorted) {
    const facts = await lock(locking, bucket);
    await enterReports(transaction, bucket, { facts, reports: own });
  }
  const ids = [...byBucket.keys(), ...others].map(({ id }) => id);
  return readFacts(transaction, ids, now());
}

async function close(locking: Locking, bucket: Bucket): Promise<BucketFacts> {
  const facts = await lock(locking, bucket);
  const closedUntilMs = closingEndMs(facts, bucket);
  const probeAtMs = facts.nowMs + PROBE_MS;
  await locking.transaction
    .updateTable('quota_buckets')
    .set({ closed_until_ms: closedUntilMs, probe_at_ms: probeAtMs })
    .where('bucket', '=', bucket.id)
    .execute();
  return { ...facts, closedUntilMs, probeAtMs };
}

/** Until when a refusal counts: near midnight for a few minutes only, because the provider may be in another day. */
function closingEndMs({ nowMs, endsMs }: BucketFacts, { zone }: Bucket): number {
  const { startMs } = zonedDay(nowMs, zone);
  return nowMs - startMs < NEAR_MIDNIGHT_MS ? startMs + NEAR_MIDNIGHT_MS : endsMs;
}

interface InDay {
  readonly facts: BucketFacts;
}

/** Makes the tenants that ask members, and returns what each has had today. */
async function enter(
  transaction: Transaction<Tables>,
  bucket: Bucket,
  { asking, facts: { endsMs, nowMs } }: InDay & { readonly asking: readonly Asking[] },
): Promise<ReadonlyMap<string, number>> {
  const rows = await transaction
    .insertInto('quota_shares')
    .values(
      asking.map(({ tenantId }) => ({
        bucket: bucket.id,
        tenant_id: tenantId,
        ends_ms: endsMs,
        granted: 0,
        sent: 0,
        called_ms: nowMs,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['bucket', 'tenant_id']).doUpdateSet({
        granted: ofDay('granted'),
        sent: ofDay('sent'),
        ends_ms: sql`excluded.ends_ms`,
        called_ms: sql`excluded.called_ms`,
      }),
    )
    .returning(['tenant_id', 'granted'])
    .execute();
  return new Map(rows.map(({ tenant_id, granted }) => [tenant_id, granted]));
}

/** A count of the day before becomes 0. */
const ofDay = (column: 'granted' | 'sent') =>
  sql<number>`case when quota_shares.ends_ms = excluded.ends_ms
    then quota_shares.${sql.ref(column)} else 0 end`;

/** The claims of all members: the whole share of who called of late, of others the part of it that the day has left. */
async function useOf(
  transaction: Transaction<Tables>,
  bucket: Bucket,
  { limit, facts: { nowMs, endsMs, granted } }: InDay & { readonly limit: number },
): Promise<BucketUse> {
  const dayPart = Math.floor((PARTS * (endsMs - nowMs)) / (24 * HOUR_MS));
  const partLeft = Math.min(PARTS, Math.max(0, dayPart));
  const members = await transaction
    .selectFrom('quota_shares')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('bucket', '=', bucket.id)
    .where('called_ms', '>', nowMs - WEEK_MS)
    .executeTakeFirstOrThrow();
  const count = Number(members.count);
  const share = shareOf(limit, count);
  const rest = Math.floor((share * partLeft) / PARTS);
  const { rows } = await sql<{ held: number | null }>`
    select sum(case when had > claim then had else claim end) as held from (
      select case when ends_ms = ${endsMs} then granted else 0 end as had,
        case when called_ms > ${nowMs - CLAIMING_MS} then ${sql.lit(share)} else ${sql.lit(rest)} end
          as claim
      from quota_shares where bucket = ${bucket.id} and called_ms > ${nowMs - WEEK_MS}
    ) as members`.execute(transaction);
  return { limit, granted, members: count, held: Number(rows[0]?.held ?? 0) };
}

async function addGranted(
  transaction: Transaction<Tables>,
  bucket: Bucket,
  granted: readonly Granted[],
): Promise<void> {
  const given = granted.filter(({ units }) => units > 0);
  if (given.length === 0) return;
  const sum = given.reduce((total, { units }) => total + units, 0);
  await transaction
    .updateTable('quota_buckets')
    .set((row) => ({ granted: row('granted', '+', sum) }))
    .where('bucket', '=', bucket.id)
    .execute();
  await addToShares(transaction, bucket, given);
}

/** Adds units to the rows of tenants, in one statement. */
async function addToShares(
  transaction: Transaction<Tables>,
  bucket: Bucket,
  given: readonly Pick<Granted, 'tenantId' | 'units'>[],
): Promise<void> {
  const units = sql.join(
    given.map((each) => sql`when ${each.tenantId} then ${sql.lit(each.units)}`),
    sql` `,
  );
  await transaction
    .updateTable('quota_shares')
    .set({ granted: sql<number>`granted + case tenant_id ${units} else 0 end` })
    .where('bucket', '=', bucket.id)
    .where(
      'tenant_id',
      'in',
      given.map(({ tenantId }) => tenantId),
    )
    .execute();
}

/** Enters the requests of one bucket. What belongs to a day that is over is dropped. */
async function enterReports(
  transaction: Transaction<Tables>,
  bucket: Bucket,
  { facts, reports }: InDay & { readonly reports: readonly Report[] },
): Promise<void> {
  const own = reports.filter(({ endsMs }) => endsMs === facts.endsMs || bucket.limit === null);
  if (own.length === 0) return;
  const sentOf = ({ sent }: Report): number => sent;
  // Requests of which no limit is known are not leased.
  const grantedOf = ({ sent, returned }: Report): number =>
    (bucket.limit === null ? sent : 0) - returned;
  const sum = (of: (report: Report) => number): number =>
    own.reduce((total, report) => total + of(report), 0);
  await transaction
    .updateTable('quota_buckets')
    .set((row) => ({
      sent: row('sent', '+', sum(sentOf)),
      granted: row('granted', '+', sum(grantedOf)),
    }))
    .where('bucket', '=', bucket.id)
    .execute();
  await transaction
    .insertInto('quota_shares')
    .values(
      own.map((report) => ({
        bucket: bucket.id,
        tenant_id: report.tenantId,
        ends_ms: facts.endsMs,
        granted: grantedOf(report),
        sent: report.sent,
        called_ms: facts.nowMs,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['bucket', 'tenant_id']).doUpdateSet({
        granted: sql<number>`${ofDay('granted')} + excluded.granted`,
        sent: sql<number>`${ofDay('sent')} + excluded.sent`,
        ends_ms: sql`excluded.ends_ms`,
        called_ms: sql<number>`case when excluded.sent > 0 then excluded.called_ms
          else quota_shares.called_ms end`,
      }),
    )
    .execute();
  if (sum(sentOf) === 0) return;
  await transaction
    .insertInto('quota_minutes')
    .values({
      bucket: bucket.id,
      minute_ms: Math.floor(facts.nowMs / MINUTE_MS) * MINUTE_MS,
      sent: sum(sentOf),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['bucket', 'minute_ms'])
        .doUpdateSet({ sent: sql<number>`quota_minutes.sent + excluded.sent` }),
    )
    .execute();
}
