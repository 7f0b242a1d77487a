import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  daysBetween,
  latestStarts,
  printTime,
  readSpan,
  readTime,
  startsBetween,
  timeMover,
  timesBetween,
} from './times.ts';

const MINUTE = 60_000;

it('a time is read as it was printed', () => {
  const minutes = fc.integer({ min: 0, max: 60 * 24 * 365 * 130 });
  fc.assert(
    fc.property(minutes, (minute) => {
      const time = minute * MINUTE;
      expect(readTime(printTime(time, 'YYYYMMDDHHmm'))).toBe(time);
      expect(readTime(printTime(time, 'YYYY-MM-DD HH:mm'))).toBe(time);
    }),
  );
});

it.each(['', '26', '202613x', 'today', '20261'])('%j names no time', (text) => {
  expect(readTime(text)).toBeUndefined();
});

it('any text is a time or none, but never an invalid one', () => {
  fc.assert(fc.property(fc.string(), (text) => !Number.isNaN(readTime(text) ?? 0)));
  fc.assert(
    fc.property(fc.stringMatching(/^\d{4,14}$/), (text) => !Number.isNaN(readTime(text) ?? 0)),
  );
});

it('a range includes both ends, and one that is the wrong way round is empty', () => {
  const [first, last] = [Date.UTC(2026, 1, 27), Date.UTC(2026, 2, 2)];
  expect(daysBetween(first, last)).toHaveLength(4);
  expect(daysBetween(last, first)).toEqual([]);
  expect(startsBetween('M', Date.UTC(2025, 10, 1), Date.UTC(2026, 1, 1))).toHaveLength(4);
});

it('a range stops at 40,000 times', () => {
  expect(timesBetween(0, Number.MAX_SAFE_INTEGER, MINUTE)).toHaveLength(40_000);
  expect(startsBetween('M', 0, Number.MAX_SAFE_INTEGER).length).toBeLessThanOrEqual(40_000);
});

/** A Sunday. */
const NOW = Date.UTC(2026, 10, 22, 12);

it.each([
  ['Y', '2025-01-01'],
  ['Q', '2026-07-01'],
  ['M', '2026-10-01'],
  ['D', '2026-11-21'],
  ['B', '2026-11-20'],
  [MINUTE, '2026-11-22'],
])('the latest period of %s that has ended begins on %s', (step, day) => {
  expect(latestStarts(step, 1, NOW).map((time) => printTime(time, 'YYYY-MM-DD'))).toEqual([day]);
});

it.each([
  ['2026', 'Y', '2026-01-01 00:00', '2026-12-31 23:59'],
  ['2026Q2', 'Q', '2026-04-01 00:00', '2026-06-30 23:59'],
  ['202602', 'Q', '2026-04-01 00:00', '2026-06-30 23:59'],
  ['202602', 'M', '2026-02-01 00:00', '2026-02-28 23:59'],
  ['2026-02-03', 'D', '2026-02-03 00:00', '2026-02-03 23:59'],
  ['2026020304', 1, '2026-02-03 04:00', '2026-02-03 04:59'],
])('%s in steps of %s is a period', (text, step, from, to) => {
  const span = readSpan(text, step);
  const print = (time = 0) => printTime(time, 'YYYY-MM-DD HH:mm');
  expect([print(span?.from), print(span?.to)]).toEqual([from, to]);
});

it.each([
  ['20260910', 'D', '20261122', '20260912', '20261124'],
  ['2026-08-01 10:18:26', 'D', '2026-11-22 10:18:26', '2026-08-12 13:00:00', '2026-12-03 13:00:00'],
  ['2024', 'Y', '2026', '2023.01.01 ~ 2023.12.31', '2025.01.01 ~ 2025.12.31'],
  ['2017.01', 'M', '2026.11', 'none', 'none'],
])(
  'a row of %s moves to %s %s, and its other times as far',
  (first, step, moved, other, otherMoved) => {
    const mover = timeMover(first, Date.UTC(2026, 10, 22), step);
    expect([mover.anchor, mover.others(other)]).toEqual([moved, otherMoved]);
  },
);
