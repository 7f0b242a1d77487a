import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createSteadyClock, repeat } from './time.ts';

describe('the steady clock', () => {
  const at = { wall: 1_764_000_000_000, elapsed: 0 };
  const clock = createSteadyClock({ now: () => at.wall }, () => at.elapsed);
  const pass = (wallMs: number, elapsedMs: number) => {
    at.wall += wallMs;
    at.elapsed += elapsedMs;
    return clock.now();
  };

  it('advances by real time when the wall clock is set back, and follows it forwards', () => {
    const start = clock.now();
    expect(start).toBe(1_764_000_000_000);
    expect(pass(1000, 1000) - start).toBe(1000);
    // Set back by an hour.
    expect(pass(-3_600_000, 500) - start).toBe(1500);
    expect(pass(1000, 1000) - start).toBe(2500);
    // The wall clock is right again. Then the machine sleeps for a minute, which a monotonic clock does not count.
    expect(pass(3_600_500, 0) - start).toBe(2500);
    expect(pass(60_000, 0) - start).toBe(62_500);
  });
});

it('runs a task again after its end, one run at a time, until it is stopped', async () => {
  let running = 0;
  let runs = 0;
  const stop = repeat(
    async () => {
      expect(++running).toBe(1);
      await sleep(2);
      running--;
      runs++;
    },
    () => 1,
  );
  await until(() => runs >= 3);
  stop();
  await until(() => running === 0);
  const runsWhenStopped = runs;
  await sleep(20);
  expect(runs).toBe(runsWhenStopped);
});

it('does not start a task that is stopped before its first run', async () => {
  let runs = 0;
  repeat(
    async () => void runs++,
    () => 1,
  )();
  await sleep(10);
  expect(runs).toBe(0);
});
