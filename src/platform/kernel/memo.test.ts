import { expect, it } from 'vitest';
import { coalesce } from './memo.ts';

/** A task whose runs the test ends. */
function newTask() {
  const ends: PromiseWithResolvers<void>[] = [];
  const { run, last } = coalesce(() => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  });
  return { run, last, ends };
}

it('runs once more for all who asked during a run', async () => {
  const { run, last, ends } = newTask();
  const first = run();
  const others = [run(), run(), run()];
  expect(ends).toHaveLength(1);
  expect(last()).toBe(others[0]);
  ends[0]?.resolve();
  await first;
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  ends[1]?.resolve();
  await Promise.all(others);
  expect(ends).toHaveLength(2);
  expect(last()).toBeUndefined();
});

it('runs one at a time, also for a caller that asks at the moment when a run ends', async () => {
  const { run, ends } = newTask();
  const first = run();
  const afterFirst = first.then(run);
  const second = run();
  ends[0]?.resolve();
  await first;
  await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  ends[1]?.resolve();
  await Promise.all([afterFirst, second]);
  expect(ends).toHaveLength(2);
});

it('runs again after a run that failed, which fails only for those who wait for it', async () => {
  const { run, ends } = newTask();
  const first = run();
  const second = run();
  ends[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await Promise.resolve();
  ends[1]?.resolve();
  await expect(second).resolves.toBeUndefined();
});
