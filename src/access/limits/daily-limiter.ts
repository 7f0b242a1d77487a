import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { createCounter, leftOf, newTally, type Tally } from '../../platform/kernel/counter.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import { type Clock, zonedDay } from '../../platform/kernel/time.ts';
import { type LimitDecision, toDecision } from './limit-decision.ts';

/** Keys with a daily limit that are counted at once. What was counted of a key that is dropped is in the database a second later. */
export const MAX_DAILY_KEYS = 10_000;
/** Of a limit, used by all replicas together without having told the database. */
const UNREPORTED_PART = 0.01;
/** How often a process tells the database what it has counted. */
const SYNC_MS = 1000;

export interface DailyLimiterDeps {
  readonly counts: DailyCounts;
  readonly clock: Clock;
  /** Whether other processes may use the database. Otherwise a process decides by itself as soon as it has read a count. */
  readonly isShared?: boolean;
  /** How many processes share the limits; 1 by default. */
  readonly replicas?: () => number;
}

export type DailyLimiter = ReturnType<typeof createDailyLimiter>;

/**
 * Counts the requests of keys with a daily limit, which starts again at midnight in Seoul. Never rejects: while the database
 * is away, each process admits its part of what was left.
 */
export function createDailyLimiter({
  counts,
  clock,
  isShared = true,
  replicas = () => 1,
}: DailyLimiterDeps) {
  const days = createLru<Day>(MAX_DAILY_KEYS);
  const counter = createCounter({
    sync: async (reports) =>
      counts.add(
        reports.map(({ tally: { name, endMs }, points }) => ({
          ...{ apiKeyId: name, endMs },
          total: points,
        })),
      ),
    replicas,
    intervalMs: SYNC_MS,
    now: clock.now,
  });

  function open(apiKeyId: string, limit: number, nowMs: number): Day {
    const known = days.get(apiKeyId);
    const day =
      known === undefined || known.endMs <= nowMs
        ? { ...newTally(apiKeyId, limit, zonedDay(nowMs, 'Asia/Seoul').endMs), isKnown: false }
        : known;
    if (day !== known) days.set(apiKeyId, day);
    day.limit = limit;
    day.slack = isShared ? limit * UNREPORTED_PART : limit;
    return day;
  }

  const decisionOf = (day: Day, refused: Tally | null): LimitDecision =>
    toDecision(refused === null, day.limit, Math.max(0, leftOf(day)), day.endMs - clock.now());
  const decideLater = async (day: Day, refused: Promise<Tally | null>): Promise<LimitDecision> =>
    decisionOf(day, await refused);

  return {
    /** Counts the points if all of them are within the limit, and none otherwise. */
    consume: (apiKeyId: string, points: number, limit: number): Awaitable<LimitDecision> => {
      const day = open(apiKeyId, limit, clock.now());
      const refused = counter.take(null, day, points);
      return refused instanceof Promise ? decideLater(day, refused) : decisionOf(day, refused);
    },
    /** Tells the database now what was counted, and reads what the others have. */
    save: counter.save,
    close: counter.close,
  };
}

type Day = ReturnType<typeof newTally>;

/** Rows of one statement. */
const CHUNK = 500;

/** Requests of one key on one day. */
export interface DayCount {
  readonly apiKeyId: string;
  /** When the day ends, in milliseconds since the epoch. */
  readonly endMs: number;
  readonly total: number;
}

export type DailyCounts = ReturnType<typeof createDailyCounts>;

/** The stored counts, which all replicas share. Rejects with `unavailable` while the database is away. */
export const createDailyCounts = (db: Kysely<Tables>) => ({
  /**
   * Adds requests, each key at most once, and returns the sums in the same order. A day that is over does not begin again:
   * what a process with a slow clock adds counts for the day that has begun.
   */
  add: async (counts: readonly DayCount[]): Promise<readonly DayCount[]> => {
    // Every replica locks the rows in the same order.
    const sorted = counts.toSorted((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1));
    const sums = new Map<string, DayCount>();
    for (let from = 0; from < sorted.length; from += CHUNK) {
      const rows = await runQuery(() => addAll(db, sorted.slice(from, from + CHUNK)));
      for (const row of rows) sums.set(row.apiKeyId, row);
    }
    return counts.map((count) => sums.get(count.apiKeyId) ?? count);
  },
});

const addAll = (db: Kysely<Tables>, counts: readonly DayCount[]): Promise<DayCount[]> =>
  db
    .insertInto('api_key_days')
    .values(
      counts.map(({ apiKeyId, endMs, total }) => ({
        ...{ api_key_id: apiKeyId, ends_ms: endMs },
        used: total,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('api_key_id').doUpdateSet({
        used: sql<number>`case when excluded.ends_ms > api_key_days.ends_ms then excluded.used
          else api_key_days.used + excluded.used end`,
        ends_ms: sql<number>`case when excluded.ends_ms > api_key_days.ends_ms
          then excluded.ends_ms else api_key_days.ends_ms end`,
      }),
    )
    .returning(['api_key_id as apiKeyId', 'ends_ms as endMs', 'used as total'])
    .execute();
