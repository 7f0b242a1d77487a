import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import type { DailyCounts } from './daily-counts.ts';
import { type LimitDecision, toDecision } from './limit-decision.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Keys with a daily limit that are counted at once. A key that was dropped is read again when it is used. */
export const MAX_DAILY_KEYS = 10_000;
/** How often new requests are added to the shared count: a key may exceed its limit by what replicas admit meanwhile. */
const SAVE_MS = 1000;

/** The day of a time, as days since 1970-01-01 in UTC. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

/** Counts the requests of keys with a daily limit, which starts again at midnight UTC. `close` saves the counts. */
export interface DailyLimiter extends Closeable {
  /**
   * Counts the points if all of them are within the limit, and none otherwise. Never rejects: while the database is away,
   * this process counts by itself.
   */
  consume(apiKeyId: string, points: number, dailyLimit: number): Awaitable<LimitDecision>;
  /** Exchanges the counts with the database now. Never rejects. */
  save(): Promise<void>;
}

interface Count {
  day: number;
  used: number;
  /** Part of `used` that the database does not have yet. */
  unsaved: number;
}

export interface DailyLimiterDeps {
  readonly counts: DailyCounts;
  readonly clock: Clock;
}

export function createDailyLimiter({ counts, clock }: DailyLimiterDeps): DailyLimiter {
  const known = createLru<Count>(MAX_DAILY_KEYS, {
    dispose: (count, apiKeyId, reason) => {
      if (reason === 'evict') void saveInTurn(() => [[apiKeyId, count]]);
    },
  });
  /** Bounded by the requests that are under way. */
  const loading = new Map<string, Promise<Count>>();

  /** What was counted stays unsaved until the database has it. */
  async function saveAll(entries: readonly (readonly [string, Count])[]): Promise<void> {
    const byId = new Map(entries.filter(([, { unsaved }]) => unsaved > 0));
    if (byId.size === 0) return;
    const rows = [...byId].map(([apiKeyId, { day, unsaved }]) => ({
      apiKeyId,
      day,
      requests: unsaved,
    }));
    const sums = await counts.add(rows).catch(() => []);
    const sent = new Map(rows.map((row) => [row.apiKeyId, row]));
    for (const { apiKeyId, day, requests } of sums) {
      const count = byId.get(apiKeyId);
      const row = sent.get(apiKeyId);
      // A new day may have begun meanwhile.
      if (!count || count.day !== row?.day) continue;
      count.unsaved -= row.requests;
      if (day === count.day) count.used = requests + count.unsaved;
    }
  }

  async function load(apiKeyId: string, day: number): Promise<Count> {
    const stored = await counts.read([apiKeyId], day).catch(() => new Map<string, number>());
    const count = { day, used: stored.get(apiKeyId) ?? 0, unsaved: 0 };
    known.set(apiKeyId, count);
    return count;
  }

  function loadOnce(apiKeyId: string): Promise<Count> {
    const running = loading.get(apiKeyId);
    if (running !== undefined) return running;
    const started = load(apiKeyId, dayOf(clock.now())).finally(() => loading.delete(apiKeyId));
    loading.set(apiKeyId, started);
    return started;
  }

  const charge = (count: Count, points: number, limit: number): LimitDecision => {
    const nowMs = clock.now();
    const day = dayOf(nowMs);
    if (count.day !== day) Object.assign(count, { day, used: 0, unsaved: 0 });
    const allowed = count.used + points <= limit;
    if (allowed) {
      count.used += points;
      count.unsaved += points;
    }
    return toDecision(allowed, limit, Math.max(0, limit - count.used), (day + 1) * DAY_MS - nowMs);
  };

  /** One at a time: two would send the same requests twice. */
  let saving: Promise<void> = Promise.resolve();
  function saveInTurn(entries: () => readonly (readonly [string, Count])[]): Promise<void> {
    saving = saving.then(() => saveAll(entries()));
    return saving;
  }
  const save = (): Promise<void> => saveInTurn(() => [...known.entries()]);
  const stop = repeat(save, () => SAVE_MS);

  return {
    consume: (apiKeyId, points, limit) => {
      const count = known.get(apiKeyId);
      return count
        ? charge(count, points, limit)
        : loadOnce(apiKeyId).then((loaded) => charge(loaded, points, limit));
    },
    save,
    close: async () => {
      stop();
      await save();
    },
  };
}
