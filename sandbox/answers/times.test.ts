import fc from 'fast-check';
import { expect, it } from 'vitest';
import { daysBetween, monthsBetween, printTime, readTime, timesBetween } from './times.ts';

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
  expect(monthsBetween(Date.UTC(2025, 10, 1), Date.UTC(2026, 1, 1))).toHaveLength(4);
});

it('a range stops at 40,000 times', () => {
  expect(timesBetween(0, Number.MAX_SAFE_INTEGER, MINUTE)).toHaveLength(40_000);
  expect(monthsBetween(0, Number.MAX_SAFE_INTEGER).length).toBeLessThanOrEqual(40_000);
});
