import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Counter,
  createCounter,
  leftOf,
  newTally,
  type Report,
  type SyncTallies,
  type Tally,
} from './counter.ts';

const WINDOW_MS = 60_000;
const REPLICAS = 4;

interface Replica {
  readonly counter: Counter;
  readonly tally: ReturnType<typeof newTally>;
}

/** The totals of one store, which replies after a millisecond. */
function newStore() {
  const totals = new Map<string, number>();
  let isAway = false;
  const reports: Report[][] = [];
  const sync: SyncTallies = async (asked) => {
    reports.push([...asked]);
    const standings = asked.map(({ tally: { name, endMs }, points }) => {
      if (!isAway) totals.set(name, (totals.get(name) ?? 0) + points);
      return { total: totals.get(name) ?? 0, endMs };
    });
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (isAway) throw new Error('away');
    return standings;
  };
  return {
    sync,
    totals,
    reports,
    away: (value: boolean) => {
      isAway = value;
    },
  };
}

const counterOf = (sync: SyncTallies | undefined, replicas = REPLICAS) =>
  createCounter({ sync, replicas: () => replicas, intervalMs: 100, now: Date.now });

const startReplicas = (
  { sync }: Pick<ReturnType<typeof newStore>, 'sync'>,
  limit: number,
  over: Partial<Tally> = {},
): Replica[] =>
  Array.from({ length: REPLICAS }, () => ({
    counter: counterOf(sync),
    tally: { ...newTally('key', limit, Date.now() + WINDOW_MS), ...over },
  }));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes single points, in turn from the replicas that `chosen` names, evenly over 59 seconds. Returns how many passed. */
async function flood(
  replicas: readonly Replica[],
  requests: number,
  chosen: (n: number) => number = (n) => n % REPLICAS,
): Promise<number> {
  let admitted = 0;
  for (let n = 0; n < requests; n++) {
    const { counter, tally } = replicas[chosen(n)] as Replica;
    void Promise.resolve(counter.take(null, tally, 1)).then((refused) => {
      if (refused === null) admitted++;
    });
    await vi.advanceTimersByTimeAsync(59_000 / requests);
  }
  await vi.advanceTimersByTimeAsync(500);
  return admitted;
}

describe('a process that counts alone', () => {
  it('admits in any order exactly what fits, charges both names or neither, and at once', () => {
    const request = fc.record({ key: fc.nat(2), points: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.nat(60),
        fc.array(request, { maxLength: 60 }),
        (limit, ofTenant, requests) => {
          const counter = counterOf(undefined, 1);
          const tenant = newTally('tenant', ofTenant, WINDOW_MS);
          const keys = [0, 1, 2].map((n) => newTally(`key ${n}`, limit, WINDOW_MS));
          const used = [0, 0, 0];
          for (const { key, points } of requests) {
            const sum = used.reduce((all, each) => all + each, 0);
            const isTenants = sum + points > ofTenant;
            const isKeys = (used[key] ?? 0) + points > limit;
            const refused = counter.take(tenant, keys[key] ?? null, points);
            expect(refused).toBe(isTenants ? tenant : isKeys ? keys[key] : null);
            if (refused === null) used[key] = (used[key] ?? 0) + points;
          }
          expect(leftOf(tenant)).toBe(ofTenant - used.reduce((all, each) => all + each, 0));
        },
      ),
    );
  });

  it('is exact with a store, and decides without waiting for it', async () => {
    const { sync, totals } = newStore();
    const counter = counterOf(sync, 1);
    const tally = newTally('key', 50, Date.now() + WINDOW_MS);
    for (let n = 0; n < 50; n++) expect(counter.take(null, tally, 1)).toBeNull();
    expect(counter.take(null, tally, 1)).toBe(tally);
    await vi.advanceTimersByTimeAsync(200);
    expect(totals.get('key')).toBe(50);
  });
});

describe('four replicas', () => {
  it.each([
    { limit: 60, most: 84 },
    { limit: 600, most: 660 },
    { limit: 6000, most: 6120 },
  ])('admit in an even flood at most $most of $limit', async ({ limit, most }) => {
    const admitted = await flood(startReplicas(newStore(), limit), 2 * limit);
    expect(admitted).toBeGreaterThanOrEqual(limit);
    expect(admitted).toBeLessThanOrEqual(most);
  });

  it('admit little more in an uneven flood', async () => {
    const chosen = (n: number): number => (n % 10 < 7 ? 0 : n % REPLICAS);
    const admitted = await flood(startReplicas(newStore(), 600), 1200, chosen);
    expect(admitted).toBeGreaterThanOrEqual(600);
    expect(admitted).toBeLessThanOrEqual(660);
  });

  it.each([60, 600])('at most double %i that all get at the same moment', async (limit) => {
    const replicas = startReplicas(newStore(), limit);
    const asked = replicas.flatMap(({ counter, tally }) =>
      Array.from({ length: limit }, () => Promise.resolve(counter.take(null, tally, 1))),
    );
    await vi.advanceTimersByTimeAsync(1000);
    const admitted = (await Promise.all(asked)).filter((refused) => refused === null).length;
    expect(admitted).toBeGreaterThanOrEqual(limit);
    expect(admitted).toBeLessThanOrEqual(2 * limit);
  });

  it.each([100, 1000])('exceed a day of %i by no more than a hundredth', async (limit) => {
    const over = { slack: limit / 100, isKnown: false };
    const replicas = startReplicas(newStore(), limit, over);
    const asked = replicas.flatMap(({ counter, tally }) =>
      Array.from({ length: limit }, () => Promise.resolve(counter.take(null, tally, 1))),
    );
    await vi.advanceTimersByTimeAsync(5000);
    const admitted = (await Promise.all(asked)).filter((refused) => refused === null).length;
    expect(admitted).toBeGreaterThanOrEqual(limit);
    expect(admitted).toBeLessThanOrEqual(1.01 * limit);
  });

  it('refuse nothing within the limit, nor points that exceed the part of a replica', async () => {
    const request = fc.record({
      replica: fc.nat(REPLICAS - 1),
      points: fc.integer({ min: 1, max: 50 }),
      pauseMs: fc.nat(150),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async (requests) => {
        const limit = requests.reduce((sum, { points }) => sum + points, 0);
        const replicas = startReplicas(newStore(), limit);
        const asked: Promise<Tally | null>[] = [];
        for (const { replica, points, pauseMs } of requests) {
          const { counter, tally } = replicas[replica] as Replica;
          asked.push(Promise.resolve(counter.take(null, tally, points)));
          await vi.advanceTimersByTimeAsync(pauseMs);
        }
        await vi.advanceTimersByTimeAsync(1000);
        expect(await Promise.all(asked)).toEqual(asked.map(() => null));
      }),
      { numRuns: 50 },
    );
  });

  it('admit once what several of them ask for together, and return what was refused', async () => {
    const store = newStore();
    const replicas = startReplicas(store, 60);
    const asked = replicas.map(({ counter, tally }) =>
      Promise.resolve(counter.take(null, tally, 50)),
    );
    await vi.advanceTimersByTimeAsync(300);
    const admitted = (await Promise.all(asked)).filter((refused) => refused === null);
    expect(admitted).toHaveLength(1);
    expect(store.totals.get('key')).toBe(50);
  });

  it('admit the limit divided by their number while the store is away, and tell it later', async () => {
    const store = newStore();
    const replicas = startReplicas(store, 600);
    expect(await flood(replicas, 200)).toBe(200);
    for (const { tally } of replicas) tally.endMs = Date.now() + WINDOW_MS;
    store.away(true);
    const admitted = await flood(replicas, 1200);
    expect(admitted).toBeGreaterThanOrEqual(400);
    // Each rounds its part up.
    expect(admitted).toBeLessThanOrEqual(400 + REPLICAS);
    store.away(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(store.totals.get('key')).toBe(200 + admitted);
  });

  it('lose with a process that is killed only what it did not report', async () => {
    const store = newStore();
    const [killed, living] = startReplicas(store, 1000, { slack: 10, isKnown: false });
    for (let n = 0; n < 100; n++) {
      void killed?.counter.take(null, killed.tally, 1);
      await vi.advanceTimersByTimeAsync(5);
    }
    const reported = store.totals.get('key') ?? 0;
    expect(reported).toBeGreaterThanOrEqual(100 - 10 / REPLICAS);
    const asked = Array.from({ length: 1000 }, () => living?.counter.take(null, living.tally, 1));
    await vi.advanceTimersByTimeAsync(5000);
    const admitted = (await Promise.all(asked)).filter((refused) => refused === null).length;
    expect(admitted).toBe(1000 - reported);
  });
});

it('reports all names of a moment together, and none that is not used', async () => {
  const { sync, reports } = newStore();
  const counter = counterOf(sync, 1);
  const tallies = ['a', 'b', 'c'].map((name) => newTally(name, 9, Date.now() + WINDOW_MS));
  for (const tally of tallies) expect(counter.take(null, tally, 1)).toBeNull();
  await vi.advanceTimersByTimeAsync(1000);
  expect(reports.map((each) => each.length)).toEqual([3]);
});

it('does not wait long for a silent store, and enters what that says later', async () => {
  let respond = (): void => undefined;
  const silence = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const counter = counterOf(async (asked) => {
    await silence;
    return asked.map(({ tally: { endMs }, points }) => ({ total: points, endMs }));
  }, 2);
  const tally = { ...newTally('key', 10, Date.now() + WINDOW_MS), isKnown: false };
  const waits = counter.take(null, tally, 1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await waits).toBeNull();
  // Half of the limit is its part.
  for (let n = 1; n < 5; n++) expect(counter.take(null, tally, 1)).toBeNull();
  expect(counter.take(null, tally, 1)).toBe(tally);
  respond();
  await vi.advanceTimersByTimeAsync(10);
  expect(tally).toMatchObject({ total: 1, own: 4, isKnown: true });
  expect(counter.take(null, tally, 1)).toBeInstanceOf(Promise);
});
