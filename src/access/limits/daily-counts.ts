import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** Rows of one statement. */
const CHUNK = 500;

/** Requests of one key on one day. */
export interface DayCount {
  readonly apiKeyId: string;
  /** Days since 1970-01-01 in UTC. */
  readonly day: number;
  readonly requests: number;
}

/** The stored counts, which all replicas share. Methods reject with `unavailable` while the database is away. */
export interface DailyCounts {
  /** The requests of these keys on that day, by id; keys without any are absent. */
  read(apiKeyIds: readonly string[], day: number): Promise<ReadonlyMap<string, number>>;
  /** Adds requests, each key at most once, and returns the sums. A day that is over is ignored. */
  add(counts: readonly DayCount[]): Promise<readonly DayCount[]>;
}

export const createDailyCounts = (db: Kysely<Tables>): DailyCounts => ({
  read: (apiKeyIds, day) => runQuery(() => readCounts(db, apiKeyIds, day)),
  add: (counts) => runQuery(() => addCounts(db, counts)),
});

async function readCounts(
  db: Kysely<Tables>,
  apiKeyIds: readonly string[],
  day: number,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < apiKeyIds.length; from += CHUNK) {
    const rows = await db
      .selectFrom('api_key_days')
      .select(['api_key_id', 'used'])
      .where('api_key_id', 'in', apiKeyIds.slice(from, from + CHUNK))
      .where('day', '=', day)
      .execute();
    for (const { api_key_id, used } of rows) counts.set(api_key_id, used);
  }
  return counts;
}

async function addCounts(
  db: Kysely<Tables>,
  counts: readonly DayCount[],
): Promise<readonly DayCount[]> {
  // Every replica locks the rows in the same order.
  const sorted = counts.toSorted((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1));
  const sums: DayCount[] = [];
  for (let from = 0; from < sorted.length; from += CHUNK) {
    sums.push(...(await addChunk(db, sorted.slice(from, from + CHUNK))));
  }
  return sums;
}

async function addChunk(
  db: Kysely<Tables>,
  counts: readonly DayCount[],
): Promise<readonly DayCount[]> {
  const rows = await db
    .insertInto('api_key_days')
    .values(
      counts.map(({ apiKeyId, day, requests }) => ({ api_key_id: apiKeyId, day, used: requests })),
    )
    .onConflict((conflict) =>
      conflict.column('api_key_id').doUpdateSet({
        used: sql<number>`case
          when excluded.day > api_key_days.day then excluded.used
          when excluded.day = api_key_days.day then api_key_days.used + excluded.used
          else api_key_days.used end`,
        day: sql<number>`case
          when excluded.day > api_key_days.day then excluded.day else api_key_days.day end`,
      }),
    )
    .returning(['api_key_id', 'day', 'used'])
    .execute();
  return rows.map(({ api_key_id, day, used }) => ({ apiKeyId: api_key_id, day, requests: used }));
}
