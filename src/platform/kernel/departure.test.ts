import { expect, it } from 'vitest';
import { Departure } from './departure.ts';

function watcher() {
  const watching = {
    told: 0,
    callerLeft: () => {
      watching.told += 1;
    },
  };
  return watching;
}

it('A departure is told once to all who watch, and at once to who comes later', () => {
  const departure = new Departure();
  const [early, done, late] = [watcher(), watcher(), watcher()];
  departure.watch(early);
  departure.watch(done);
  departure.unwatch(done);
  departure.leave();
  departure.leave();
  departure.watch(late);
  expect([early.told, done.told, late.told]).toEqual([1, 0, 1]);
  expect(departure.hasLeft).toBe(true);
});

it('Watchers may stop watching, or others begin, while they are being told', () => {
  const departure = new Departure();
  const [second, late] = [watcher(), watcher()];
  departure.watch({
    callerLeft: () => {
      departure.unwatch(second);
      departure.watch(late);
    },
  });
  departure.watch(second);
  departure.leave();
  expect([second.told, late.told]).toEqual([1, 1]);
});
