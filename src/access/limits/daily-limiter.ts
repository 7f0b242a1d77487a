import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import {
  blockOf,
  changeLimit,
  createQueues,
  enter,
  type Lease,
  newLease,
  newQueue,
  PART_OF_LEFT,
  type Queue,
  roomOf,
  use,
} from './lease.ts';
import { type LimitDecision, toDecision } from './limit-decision.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Keys with a daily limit whose blocks are in hand at once. The block of a key that was dropped is returned. */
export const MAX_DAILY_KEYS = 10_000;
/** Of a limit, in the hands of all replicas together: at most so much may be unused when the day ends. */
const TAKEN_PART = 0.01;
/** How often blocks that no request uses, and requests that were admitted without the database, are settled with it. */
const SETTLE_MS = 1000;
/** After so many rounds without a request, a block is returned. */
const IDLE_ROUNDS = 60;
/** A key whose limit is used up asks again after so many rounds: another replica may have returned a block. */
const FULL_ROUNDS = 10;
/** How long requests wait for the database. Then, until it responds again, this process counts by itself. */
const WAIT_MS = 2000;

/** The day of a time, as days since 1970-01-01 in UTC. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

interface DayRequest {
  readonly apiKeyId: string;
  readonly limit: number;
  readonly points: number;
  /** When it came. */
  readonly nowMs: number;
}

/** `end` is the day after the one that it counts. */
interface DayLease extends Lease {
  readonly queue: Queue<DayRequest>;
  /** The rounds in which a request came, and in which the database was asked. */
  usedIn: number;
  askedIn: number;
  /** Whether the database was asked. */
  isKnown: boolean;
}

export interface DailyLimiterDeps {
  readonly counts: DailyCounts;
  readonly clock: Clock;
  /** Whether other processes may use the database. Otherwise a process takes no blocks, and adds what it counts. */
  readonly isShared?: boolean;
  /** How many processes share the limits; 1 by default. */
  readonly replicas?: () => number;
}

export type DailyLimiter = ReturnType<typeof createDailyLimiter>;

/**
 * Counts the requests of keys with a daily limit, which starts again at midnight UTC. Blocks of requests are taken from the
 * database and used without it. `close` returns what was not used.
 */
export function createDailyLimiter({
  counts,
  clock,
  isShared = true,
  replicas = () => 1,
}: DailyLimiterDeps) {
  let round = 0;
  const settle = createSettling(counts);
  const leases = createLeases((apiKeyId, lease) => void settle([[apiKeyId, lease]], all));
  const taking = createTaking({ counts, isShared, replicas, settle, open: leases.open });

  function decideNow(request: DayRequest, lease = leases.open(request)): LimitDecision | undefined {
    const { points } = request;
    lease.usedIn = round;
    if (!isShared && lease.isKnown) return decideAlone(request, lease);
    const isFull = roomOf(lease) < points;
    if (isFull && round - lease.askedIn < FULL_ROUNDS) return decisionOf(request, lease, false);
    if (isFull || lease.inHand < points) return undefined;
    use(lease, points);
    return decisionOf(request, lease, true);
  }

  function decideAlone(request: DayRequest, lease = leases.open(request)): LimitDecision {
    const allowed = roomOf(lease) >= request.points;
    if (allowed) use(lease, request.points);
    return decisionOf(request, lease, allowed);
  }

  const ask = (request: DayRequest, waiting: readonly DayRequest[]): Promise<void> => {
    const lease = leases.open(request);
    lease.askedIn = round;
    lease.isKnown = true;
    return taking.take(request, waiting);
  };
  const queues = createQueues({
    ask,
    decide: (request) => decideNow(request),
    decideAlone: (request) => decideAlone(request),
  });

  const isDue = (lease: DayLease): boolean =>
    round - lease.usedIn >= IDLE_ROUNDS && !taking.isAway();
  const save = (): Promise<void> => {
    round++;
    return settle(leases.entries(), isDue);
  };
  const stop = repeat(save, () => SETTLE_MS);

  return {
    /**
     * Counts the points if all of them are within the limit, and none otherwise. Never rejects: while the database is away,
     * this process counts by itself.
     */
    consume: (apiKeyId: string, points: number, limit: number): Awaitable<LimitDecision> => {
      const request = { apiKeyId, points, limit, nowMs: clock.now() };
      const lease = leases.open(request);
      const { queue } = lease;
      // No request overtakes one that waits.
      const decision = queue.waiting.length > 0 ? undefined : decideNow(request, lease);
      if (decision === undefined && !taking.isAway()) return queues.wait(queue, request);
      const isLow = decision === undefined || lease.inHand <= lease.refillAt;
      if (isLow && taking.mayTry()) queues.refill(queue, request);
      return decision ?? decideAlone(request);
    },
    /** Settles with the database now: requests that it does not know of, and blocks that no request uses. Never rejects. */
    save,
    close: async () => {
      stop();
      await taking.idle();
      await settle(leases.entries(), all);
    },
  };
}

const all = (): boolean => true;
const none = (): boolean => false;

/** Remembers the leases of keys, each of one day. */
function createLeases(onEvict: (apiKeyId: string, lease: DayLease) => void) {
  const known = createLru<DayLease>(MAX_DAILY_KEYS, {
    dispose: (lease, apiKeyId, reason) => {
      if (reason === 'evict') onEvict(apiKeyId, lease);
    },
  });
  return {
    open({ apiKeyId, limit, nowMs }: DayRequest): DayLease {
      const tomorrow = dayOf(nowMs) + 1;
      const lease = known.get(apiKeyId);
      if (lease === undefined) {
        const rounds = { usedIn: 0, askedIn: 0, isKnown: false };
        const created = { ...newLease(limit, tomorrow), queue: newQueue<DayRequest>(), ...rounds };
        known.set(apiKeyId, created);
        return created;
      }
      // It may be ahead: a replica whose clock is fast has begun the next day.
      if (lease.end < tomorrow) Object.assign(lease, newLease(limit, tomorrow));
      else if (lease.limit !== limit) changeLimit(lease, limit);
      return lease;
    },
    entries: (): readonly (readonly [string, DayLease])[] => [...known.entries()],
  };
}

function decisionOf({ nowMs }: DayRequest, lease: DayLease, allowed: boolean): LimitDecision {
  const remaining = Math.max(0, roomOf(lease));
  return toDecision(allowed, lease.limit, remaining, lease.end * DAY_MS - nowMs);
}

interface TakingDeps {
  readonly counts: DailyCounts;
  readonly isShared: boolean;
  readonly replicas: () => number;
  readonly settle: Settle;
  readonly open: (request: DayRequest) => DayLease;
}

/** Takes blocks from the database, and remembers whether it is away. */
function createTaking({ counts, isShared, replicas, settle, open }: TakingDeps) {
  const pending = new Set<Promise<void>>();
  let isAway = false;
  let triedMs = 0;

  async function takeBlock(request: DayRequest, waiting: readonly DayRequest[]): Promise<void> {
    const { apiKeyId } = request;
    const lease = open(request);
    const { limit, end } = lease;
    const day = end - 1;
    await settle([[apiKeyId, lease]], none);
    const block = isShared ? blockOf(limit, TAKEN_PART, replicas()) : 0;
    const requests = isShared ? pointsToTake(lease, block, waiting) : 0;
    const taken = await counts.take({ apiKeyId, day, requests }, limit);
    const used = taken?.requests ?? (await counts.read(apiKeyId, day));
    // The day may have ended meanwhile.
    if (lease.end !== end) return;
    if (taken !== undefined && taken.day > day)
      Object.assign(lease, newLease(limit, taken.day + 1));
    enter(lease, taken === undefined ? 0 : requests, limit - used, block);
  }

  return {
    isAway: () => isAway,
    /** Whether to ask in the background: while the database is away, once a second. */
    mayTry: (): boolean => !isAway || (pending.size === 0 && performance.now() >= triedMs + 1000),
    /** Rejects when the database does not respond in time. What it responds later counts nevertheless. */
    async take(request: DayRequest, waiting: readonly DayRequest[]): Promise<void> {
      triedMs = performance.now();
      const taking = takeBlock(request, waiting);
      pending.add(taking);
      const end = (failed: boolean): void => {
        isAway = failed;
        pending.delete(taking);
      };
      taking.then(
        () => end(false),
        () => end(true),
      );
      if (await isLate(taking)) {
        isAway = true;
        throw new GatewayError('unavailable');
      }
    },
    /** Resolves when nothing is asked any more, or too late. */
    idle: () => isLate(Promise.allSettled(pending)),
  };
}

/** What the waiting requests need, and a block. */
function pointsToTake(lease: DayLease, block: number, waiting: readonly DayRequest[]): number {
  const room = roomOf(lease);
  let sum = 0;
  for (const { points } of waiting) {
    if (sum + points <= room) sum += points;
  }
  const needed = Math.max(0, sum - lease.inHand);
  if (sum === 0 && waiting.length > 0) return 0;
  const spare = Math.max(0, lease.inHand - sum);
  const ofLeft = Math.floor((lease.left - needed) / PART_OF_LEFT);
  return needed + Math.max(0, Math.min(block - spare, ofLeft));
}

/** Whether a promise is pending after the time for which requests wait. */
async function isLate(promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, true);
  });
  try {
    return await Promise.race([promise.then(none), late]);
  } finally {
    clearTimeout(timer);
  }
}

type Settle = ReturnType<typeof createSettling>;

/** Creates what settles leases with the database: what they owe, and what is in hand of those whose blocks are due. */
function createSettling(counts: DailyCounts) {
  return async (
    entries: readonly (readonly [string, DayLease])[],
    isDue: (lease: DayLease) => boolean,
  ): Promise<void> => {
    const sent = new Map<string, { lease: DayLease; owed: number; row: DayCount }>();
    for (const [apiKeyId, lease] of entries) {
      const { owed, end } = lease;
      const returned = isDue(lease) ? lease.inHand : 0;
      if (owed === 0 && returned === 0) continue;
      lease.owed = 0;
      lease.left -= owed;
      lease.inHand -= returned;
      sent.set(apiKeyId, {
        lease,
        owed,
        row: { apiKeyId, day: end - 1, requests: owed - returned },
      });
    }
    if (sent.size === 0) return;
    try {
      for (const { apiKeyId, day, requests } of await counts.add([...sent.values()].map(rowOf))) {
        const lease = sent.get(apiKeyId)?.lease;
        if (lease?.end === day + 1) lease.left = lease.limit - requests;
      }
    } catch {
      // What was returned may have arrived, so it is not used either.
      for (const { lease, owed, row } of sent.values()) {
        if (lease.end !== row.day + 1) continue;
        lease.owed += owed;
        lease.left += owed;
      }
    }
  };
}

const rowOf = ({ row }: { readonly row: DayCount }): DayCount => row;

/** Rows of one statement. */
const CHUNK = 500;

/** Requests of one key on one day, used or in the hands of a process; negative for those that it returns. */
export interface DayCount {
  readonly apiKeyId: string;
  /** Days since 1970-01-01 in UTC. */
  readonly day: number;
  readonly requests: number;
}

export type DailyCounts = ReturnType<typeof createDailyCounts>;

/** The stored counts, which all replicas share. Methods reject with `unavailable` while the database is away. */
export const createDailyCounts = (db: Kysely<Tables>) => ({
  /** The requests of a key on that day, or on a later one that has begun. */
  read: async (apiKeyId: string, day: number): Promise<number> => {
    const row = await runQuery(() =>
      db
        .selectFrom('api_key_days')
        .select('used')
        .where('api_key_id', '=', apiKeyId)
        .where('day', '>=', day)
        .executeTakeFirst(),
    );
    return row?.used ?? 0;
  },
  /**
   * Adds requests if the sum is within the limit, and returns it. They count for a later day if that has begun: the clock of
   * this process is slow.
   */
  take: (count: DayCount, limit: number): Promise<DayCount | undefined> =>
    runQuery(() => take(db, count, limit)),
  /** Adds or returns requests, each key at most once, and returns the sums. A day that is over is ignored. */
  add: async (counts: readonly DayCount[]): Promise<readonly DayCount[]> => {
    // Every replica locks the rows in the same order.
    const sorted = counts.toSorted((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1));
    const sums: DayCount[] = [];
    for (let from = 0; from < sorted.length; from += CHUNK) {
      sums.push(...(await runQuery(() => addAll(db, sorted.slice(from, from + CHUNK)))));
    }
    return sums;
  },
});

const addAll = (db: Kysely<Tables>, counts: readonly DayCount[]): Promise<DayCount[]> =>
  db
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
    .returning(['api_key_id as apiKeyId', 'day', 'used as requests'])
    .execute();

const take = (
  db: Kysely<Tables>,
  { apiKeyId, day, requests }: DayCount,
  limit: number,
): Promise<DayCount | undefined> =>
  db
    .insertInto('api_key_days')
    .values({ api_key_id: apiKeyId, day, used: requests })
    .onConflict((conflict) =>
      conflict
        .column('api_key_id')
        .doUpdateSet({
          used: sql<number>`case
            when excluded.day > api_key_days.day then excluded.used
            else api_key_days.used + excluded.used end`,
          day: sql<number>`case
            when excluded.day > api_key_days.day then excluded.day else api_key_days.day end`,
        })
        .where(
          sql<boolean>`excluded.day > api_key_days.day
            or api_key_days.used + excluded.used <= ${limit}`,
        ),
    )
    .returning(['api_key_id as apiKeyId', 'day', 'used as requests'])
    .executeTakeFirst();
