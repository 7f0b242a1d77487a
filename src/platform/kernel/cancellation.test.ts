import { expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

function watcher() {
  const watching = {
    told: 0,
    onCancelled: () => {
      watching.told += 1;
    },
  };
  return watching;
}

it('notifies every watcher once, and one that is added later at once', () => {
  const cancellation = new Cancellation();
  const [early, done, late] = [watcher(), watcher(), watcher()];
  cancellation.watch(early);
  cancellation.watch(done);
  cancellation.unwatch(done);
  cancellation.cancel();
  cancellation.cancel();
  cancellation.watch(late);
  expect([early.told, done.told, late.told]).toEqual([1, 0, 1]);
  expect(cancellation.isCancelled).toBe(true);
});

it('allows watchers to be removed and added while it notifies them', () => {
  const cancellation = new Cancellation();
  const [second, late] = [watcher(), watcher()];
  cancellation.watch({
    onCancelled: () => {
      cancellation.unwatch(second);
      cancellation.watch(late);
    },
  });
  cancellation.watch(second);
  cancellation.cancel();
  expect([second.told, late.told]).toEqual([1, 1]);
});
