import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { repeat } from './repeat.ts';

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
