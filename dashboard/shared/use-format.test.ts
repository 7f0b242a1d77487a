import { describe, expect, test } from 'vitest';
import { createFormat, formatAgo, formatTick } from './use-format.ts';

const NOW = Date.UTC(2026, 0, 15);
const ago = (seconds: number, language = 'en') => formatAgo(NOW - seconds * 1000, NOW, language);

describe('formatAgo', () => {
  test.each([
    [0, 'now'],
    [9, 'now'],
    [59, '59 seconds ago'],
    [60, '1 minute ago'],
    [3599, '59 minutes ago'],
    [86_400, 'yesterday'],
    [40 * 86_400, 'last month'],
    [800 * 86_400, '2 years ago'],
    [-7200, 'in 2 hours'],
  ])('calls %i seconds "%s"', (seconds, text) => {
    expect(ago(seconds)).toBe(text);
  });

  test('speaks Korean', () => {
    expect(ago(180, 'ko')).toBe('3분 전');
  });
});

describe('formats', () => {
  const { duration, exactTime, moment, zone } = createFormat('en');

  test('durations have two significant digits', () => {
    expect([0.2264, 3.43, 278, 999, 1234, 19_300].map(duration)).toEqual([
      '0.23 ms',
      '3.4 ms',
      '280 ms',
      '1 s',
      '1.2 s',
      '19 s',
    ]);
  });

  test('an exact time has milliseconds and no year of today, and a moment of today no date', () => {
    const at = new Date(2026, 2, 3, 14, 2, 5, 78).getTime();
    expect(exactTime(at, at + 60_000)).toBe('Mar 3, 14:02:05.078');
    expect(exactTime(at, at + 366 * 86_400_000)).toBe('Mar 3, 2026, 14:02:05.078');
    expect(moment(at, at + 60_000)).toBe('14:02');
    expect(moment(at, at + 86_400_000)).toBe(`Mar 3, 2026, 14:02 ${zone(at)}`);
  });
});

describe('times', () => {
  const at = new Date(2026, 2, 3, 0, 2, 5).getTime();

  test.each([
    ['en', 'Mar 3, 2026, 00:02:05'],
    ['ko', '2026년 3월 3일 00:02:05'],
  ])('have 24 hours and their zone in %s', (language, text) => {
    const { time, zone } = createFormat(language);
    expect(time(at)).toBe(`${text} ${zone(at)}`);
    expect(zone(at)).toMatch(/^(UTC|GMT|[A-Z]{3,4})/);
  });

  test('on an axis are clock times, with the date at midnight', () => {
    const midnight = new Date(2026, 2, 3).getTime();
    expect(formatTick(midnight + 3_600_000, 'minute', 'en')).toBe('01:00');
    expect(formatTick(midnight, 'minute', 'ko')).toBe('3월 3일');
    expect(formatTick(midnight, 'month', 'en')).toBe('Mar 2026');
  });
});

test('writes the time to which data refer no more precisely than it is given', () => {
  const { asOf } = createFormat('en');
  expect(['2026', '2026Q1', '2026-09', '2026-09-30'].map(asOf)).toEqual([
    '2026',
    '2026Q1',
    '2026-09',
    'Sep 30, 2026',
  ]);
  expect(asOf('2026-09-30T12:00+00:00')).toMatch(/^(Sep 30|Oct 1), 2026, \d\d:\d\d \S+$/);
});
