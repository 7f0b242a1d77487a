import { type Kysely, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Standing } from '../../platform/kernel/counter.ts';
import { type Clock, zonedDay } from '../../platform/kernel/time.ts';
import { shareOf } from './quota-account.ts';
import type { Bucket } from './quota-bucket.ts';
import { HOUR_MS, readStates, readUse, WEEK_MS } from './quota-reading.ts';

const MINUTE_MS = 60_000;
/** Who called within this time may claim its whole share. */
const CLAIMING_MS = 30 * MINUTE_MS;
/** A provider that has refused is asked again so often. */
const PROBE_MS = 10 * MINUTE_MS;
/** So close to midnight, the clock of the provider may show another day. */
const NEAR_MIDNIGHT_MS = 5 * MINUTE_MS;
/** Parts of a day, so that the claims are whole numbers. */
const PARTS = 1000;
/** Rows of one statement. */
const CHUNK = 500;

/** Requests of one tenant, or of all where it is empty. */
export interface Use {
  readonly bucket: string;
  readonly tenantId: string;
  /** The day that they belong to. */
  readonly endMs: number;
  readonly sent: number;
}

/** What all processes must know of a bucket. */
export interface BucketState {
  /** Until when the provider refuses every request; 0 if it does not. */
  readonly closedUntilMs: number;
  /** When the next request may try whether it still does. */
  readonly probeAtMs: number;
  /** Tenants that used it within 7 days, and what they have had today or still claim, whichever is more, in sum. */
  readonly members: number;
  readonly held: number;
}

export interface QuotaStoreDeps {
  readonly database: Pick<Database, 'db'>;
  readonly clock: Clock;
}

export type QuotaStore = ReturnType<typeof createQuotaStore>;

/** The ledger in the database. Every method rejects with `unavailable` while the database is away. */
export function createQuotaStore({ database: { db }, clock }: QuotaStoreDeps) {
  const update = () => db.updateTable('quota_buckets');
  /** Inserts the row of a bucket, or changes it. */
  const put = (bucket: string, closedUntilMs: number, probeAtMs: number) =>
    db
      .insertInto('quota_buckets')
      .values({ bucket, closed_until_ms: closedUntilMs, probe_at_ms: probeAtMs })
      .onConflict((conflict) =>
        conflict
          .column('bucket')
          .doUpdateSet({ closed_until_ms: closedUntilMs, probe_at_ms: probeAtMs }),
      );

  return {
    /** Adds what was sent, each tenant of a bucket at most once. Returns the sums in the same order, and the states. */
    report: (uses: readonly Use[], limitOf: (bucket: string) => number | null) =>
      runQuery(() => report(db, uses, { limitOf, nowMs: clock.now() })),
    /** The provider refuses: closes the bucket for every process. */
    close: async ({ id, zone }: Bucket) => {
      const closedUntilMs = closingEndMs(clock.now(), zone);
      const probeAtMs = clock.now() + PROBE_MS;
      await runQuery(() => put(id, closedUntilMs, probeAtMs).execute());
      return { closedUntilMs, probeAtMs };
    },
    /** The provider answers again. */
    reopen: async ({ id }: Bucket) => {
      await runQuery(() => put(id, 0, 0).execute());
      return { closedUntilMs: 0, probeAtMs: 0 };
    },
    /** Whether this process may send the one request that tries whether the provider still refuses. */
    takeProbe: async ({ id }: Bucket): Promise<boolean> => {
      const next = { probe_at_ms: clock.now() + PROBE_MS };
      const probed = update().set(next).where('bucket', '=', id);
      const due = probed.where('probe_at_ms', '<=', clock.now());
      return (await runQuery(() => due.executeTakeFirst())).numUpdatedRows > 0n;
    },
    /** Whether this process is the one to warn that so many percent of a bucket are used, once in its day. */
    takeWarning: async ({ id }: Bucket, percent: number, endsMs: number): Promise<boolean> => {
      const warning = { warned_ms: endsMs, warned_percent: percent };
      const first = db
        .insertInto('quota_buckets')
        .values({ bucket: id, ...warning })
        .onConflict((conflict) =>
          conflict
            .column('bucket')
            .doUpdateSet(warning)
            .where(
              sql<boolean>`quota_buckets.warned_ms < ${endsMs}
                or quota_buckets.warned_ms = ${endsMs} and quota_buckets.warned_percent < ${percent}`,
            ),
        )
        .returning('bucket');
      return (await runQuery(() => first.executeTakeFirst())) !== undefined;
    },
    /** What has been used of these buckets today, and by which tenants. */
    read: (ids: readonly string[]) => runQuery(() => readUse(db, ids, clock.now())),
    /** Removes what no day and no share needs any more. */
    trim: () =>
      runQuery(async () => {
        const weekAgo = clock.now() - WEEK_MS;
        await db.deleteFrom('quota_use').where('called_ms', '<', weekAgo).execute();
        const ended = db.deleteFrom('quota_buckets').where('closed_until_ms', '<', weekAgo);
        await ended.where('warned_ms', '<', weekAgo).execute();
      }),
  };
}

/** Until when a refusal counts: near midnight for a few minutes only, because the provider may be in another day. */
function closingEndMs(nowMs: number, zone: string): number {
  const { startMs, endMs } = zonedDay(nowMs, zone);
  return nowMs - startMs < NEAR_MIDNIGHT_MS ? startMs + NEAR_MIDNIGHT_MS : endMs;
}

interface Reporting {
  readonly limitOf: (bucket: string) => number | null;
  readonly nowMs: number;
}

const keyOf = ({ bucket, tenantId }: Pick<Use, 'bucket' | 'tenantId'>): string =>
  `${bucket}\n${tenantId}`;

async function report(
  db: Kysely<Tables>,
  uses: readonly Use[],
  { limitOf, nowMs }: Reporting,
): Promise<{
  readonly totals: readonly Standing[];
  readonly states: ReadonlyMap<string, BucketState>;
}> {
  // Every process locks the rows in the same order, the row of a bucket before the rows of its tenants.
  const sorted = uses.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const sums = new Map<string, Use>();
  for (let from = 0; from < sorted.length; from += CHUNK) {
    const rows = await addAll(db, sorted.slice(from, from + CHUNK), nowMs);
    for (const row of rows) sums.set(keyOf(row), row);
  }
  const totals = uses.map((use) => {
    const { sent, endMs } = sums.get(keyOf(use)) ?? use;
    return { total: sent, endMs };
  });
  const ends = new Map(sorted.map(({ bucket }) => [bucket, 0]));
  for (const { bucket, endMs } of sums.values())
    ends.set(bucket, Math.max(endMs, ends.get(bucket) ?? 0));
  const closings = await readStates(db, [...ends.keys()]);
  const states = [...ends].map(async ([bucket, endsMs]) => {
    const claims = await claimsOf(db, bucket, { limit: limitOf(bucket), endsMs, nowMs });
    const closing = closings.get(bucket) ?? { closedUntilMs: 0, probeAtMs: 0 };
    return [bucket, { ...closing, ...claims }] as const;
  });
  return { totals, states: new Map(await Promise.all(states)) };
}

/** Adds to the rows of a day. One that is over does not begin again: a process with a slow clock counts for the day that has. */
const addAll = (db: Kysely<Tables>, uses: readonly Use[], nowMs: number): Promise<Use[]> =>
  db
    .insertInto('quota_use')
    .values(
      uses.map(({ bucket, tenantId, endMs, sent }) => ({
        ...{ bucket, tenant_id: tenantId, ends_ms: endMs, sent },
        called_ms: nowMs,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['bucket', 'tenant_id']).doUpdateSet({
        sent: sql<number>`case when excluded.ends_ms > quota_use.ends_ms then excluded.sent
          else quota_use.sent + excluded.sent end`,
        ends_ms: sql<number>`case when excluded.ends_ms > quota_use.ends_ms then excluded.ends_ms
          else quota_use.ends_ms end`,
        called_ms: sql<number>`excluded.called_ms`,
      }),
    )
    .returning(['bucket', 'tenant_id as tenantId', 'ends_ms as endMs', 'sent'])
    .execute();

/** The claims of all members: the whole share of who called of late, of others the part of it that the day has left. */
async function claimsOf(
  db: Kysely<Tables>,
  bucket: string,
  at: { readonly limit: number | null; readonly endsMs: number; readonly nowMs: number },
): Promise<Pick<BucketState, 'members' | 'held'>> {
  const { limit, endsMs, nowMs } = at;
  if (limit === null) return { members: 1, held: 0 };
  const members = await db
    .selectFrom('quota_use')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('bucket', '=', bucket)
    .where('tenant_id', '<>', '')
    .where('called_ms', '>', nowMs - WEEK_MS)
    .executeTakeFirstOrThrow();
  const count = Number(members.count);
  const share = shareOf(limit, count);
  const dayPart = Math.floor((PARTS * (endsMs - nowMs)) / (24 * HOUR_MS));
  const rest = Math.floor((share * Math.min(PARTS, Math.max(0, dayPart))) / PARTS);
  const { rows } = await sql<{ held: number | null }>`
    select sum(case when had > claim then had else claim end) as held from (
      select case when ends_ms = ${endsMs} then sent else 0 end as had,
        case when called_ms > ${nowMs - CLAIMING_MS} then ${sql.lit(share)} else ${sql.lit(rest)} end
          as claim
      from quota_use
      where bucket = ${bucket} and tenant_id <> '' and called_ms > ${nowMs - WEEK_MS}
    ) as members`.execute(db);
  return { members: count, held: Number(rows[0]?.held ?? 0) };
}
