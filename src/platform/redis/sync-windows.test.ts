import { describe, expect, it, vi } from 'vitest';
import { openTestRedis, testRedisUrl } from '../../../test/support/redis.ts';
import { createSyncWindows, MAX_BATCH } from '../../access/limits/rate-limiter.ts';
import { newTally } from '../kernel/counter.ts';

describe.runIf(testRedisUrl)('the windows in Redis', () => {
  it('start with the first points of a name, and are counted in scripts of 500 names', async () => {
    const { connection: redis, keyPrefix, cleanUp } = await openTestRedis();
    const sync = createSyncWindows({ redis, keyPrefix, windowMs: 60_000 });
    const reports = Array.from({ length: 2 * MAX_BATCH + 1 }, (_, n) => ({
      tally: newTally(`key ${n}`, 9, 0),
      points: n,
    }));
    const sent = vi.spyOn(redis.client, 'sendCommand');
    const beganMs = performance.now();
    const standings = await sync(reports);
    expect(standings.map(({ total }) => total)).toEqual(reports.map(({ points }) => points));
    const names = sent.mock.calls.map(([{ args }]) => Number(args[1]));
    expect(Math.max(...names)).toBe(MAX_BATCH);
    expect(standings[0]?.endMs).toBeGreaterThanOrEqual(beganMs + 60_000);
    await redis.client.pexpire(`${keyPrefix}:key 1`, 1000);
    const [again] = await sync(reports.slice(1, 2));
    expect(again?.total).toBe(2);
    expect(again?.endMs).toBeLessThanOrEqual(performance.now() + 1000);
    await cleanUp();
  });
});
