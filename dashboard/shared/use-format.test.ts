import { describe, expect, test } from 'vitest';
import { createFormat, formatAgo } from './use-format.ts';

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
  const { duration, exactTime, moment } = createFormat('en');

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

  test('an exact time has milliseconds, and a moment of today no date', () => {
    const at = new Date(2026, 2, 3, 14, 2, 5, 78).getTime();
    expect(exactTime(at)).toBe('Mar 3, 2026, 14:02:05.078');
    expect(moment(at, at + 60_000)).toMatch(/^0?2:02\sPM$/);
    expect(moment(at, at + 86_400_000)).toContain('Mar 3, 2026');
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
  expect(asOf('2026-09-30T12:00+00:00')).toMatch(/^(Sep 30|Oct 1), 2026, \d+:\d\d\s[AP]M$/);
});
