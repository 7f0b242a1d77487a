import { describe, expect, test } from 'vitest';
import { columnsOf, type Row } from './find-rows.ts';
import { findSeries, readTime } from './find-series.ts';

const series = (rows: Row[]) => findSeries(rows, columnsOf(rows));

describe('readTime', () => {
  test.each([
    ['2026-01-15', '2026-01-15T00:00:00Z'],
    ['2026-01', '2026-01-01T00:00:00Z'],
    ['2026-01-15 06:30', '2026-01-15T06:30:00Z'],
    ['2026-01-15T06:30:00+09:00', '2026-01-14T21:30:00Z'],
    ['2026-01-15 24:00', '2026-01-16T00:00:00Z'],
    ['2026.01.15', '2026-01-15T00:00:00Z'],
    ['20260115', '2026-01-15T00:00:00Z'],
    [20260115, '2026-01-15T00:00:00Z'],
    ['202601150630', '2026-01-15T06:30:00Z'],
    ['202601', '2026-01-01T00:00:00Z'],
    ['2026', '2026-01-01T00:00:00Z'],
  ])('reads %j', (value, iso) => {
    expect(readTime(value)).toBe(Date.parse(iso));
  });

  test.each(['', 'today', '20261315', '12', '99999999', null, {}, '2026-13-01'])(
    'does not take %j for a time',
    (value) => {
      expect(readTime(value)).toBeNull();
    },
  );
});

describe('findSeries', () => {
  test('draws the numbers over time, in order', () => {
    const found = series([
      { day: '2026-01-02', price: '1,200', name: 'a' },
      { day: '2026-01-01', price: '1,100', name: 'a' },
    ]);
    expect(found?.timeName).toBe('day');
    expect(found?.times).toEqual([Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]);
    expect(found?.lines).toEqual([{ name: 'price', values: [1100, 1200] }]);
  });

  test('joins a day and a time of day, and draws a line for each kind of row', () => {
    const row = (fcstTime: string, category: string, fcstValue: string) => ({
      baseDate: '20260115',
      nx: 60,
      category,
      fcstDate: '20260115',
      fcstTime,
      fcstValue,
    });
    const found = series([
      row('0600', 'TMP', '-3'),
      row('0600', 'REH', '50'),
      row('0700', 'TMP', '-2'),
      row('0700', 'REH', '45'),
    ]);
    expect(found?.timeName).toBe('fcstDate + fcstTime');
    expect(found?.lines).toEqual([
      { name: 'TMP', values: [-3, -2] },
      { name: 'REH', values: [50, 45] },
    ]);
  });

  test('shows quantities before codes', () => {
    const found = series([
      { time: '2026-01-01', weather_code: 3, t: 1 },
      { time: '2026-01-02', weather_code: 61, t: 2 },
    ]);
    expect(found?.lines.map(({ name }) => name)).toEqual(['t', 'weather_code']);
  });

  test('leaves out numbers that never change', () => {
    const found = series([
      { time: '2026-01-01', nx: 60, t: 1 },
      { time: '2026-01-02', nx: 60, t: 2 },
    ]);
    expect(found?.lines.map(({ name }) => name)).toEqual(['t']);
  });

  test('does not take counts of four digits for years', () => {
    expect(
      series([
        { visitors: 1980, a: 1 },
        { visitors: 2001, a: 2 },
      ]),
    ).toBeNull();
    expect(
      series([
        { year: 1980, a: 1 },
        { year: 2001, a: 2 },
      ])?.timeName,
    ).toBe('year');
  });

  test('makes a line for each code of a range', () => {
    const rows = ['202501', '202502'].flatMap((DEAL_YMD, month) =>
      ['11110', '11140'].map((LAWD_CD, at) => ({ LAWD_CD, DEAL_YMD, median: month + 10 * at })),
    );
    expect(series(rows)).toMatchObject({
      timeName: 'DEAL_YMD',
      lines: [
        { name: '11110', values: [0, 1] },
        { name: '11140', values: [10, 11] },
      ],
    });
  });

  test.each([
    [[]],
    [[{ a: 1 }, { a: 2 }]],
    [[{ day: '2026-01-01', a: 1 }]],
    [[{ day: '2026-01-01' }, { day: '2026-01-02' }]],
  ])('finds no series in %j', (rows) => {
    expect(series(rows)).toBeNull();
  });

  test('is quick with many rows', () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => ({ time: `${1900 + at}`, v: at }));
    const startedMs = performance.now();
    findSeries(rows, ['time', 'v']);
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
