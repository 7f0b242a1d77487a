import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DefaultCircumstances } from '../tools/model.ts';
import { COMPUTED_DEFAULTS } from './computed-defaults.ts';

function computedDefault(name: string, circumstances: DefaultCircumstances): string {
  const compute = COMPUTED_DEFAULTS.get(name);
  if (!compute) throw new Error(`${name} is not a computed default.`);
  return compute(circumstances);
}

/** The timestamp of a wall time in Seoul, such as `2026-11-21T09:50:00`. */
const seoul = (wallTime: string): number => Date.parse(`${wallTime}+09:00`);

/** The value of a default at a wall time in Seoul. */
const valueAt = (
  name: string,
  wallTime: string,
  args: Record<string, unknown> = {},
  stepsBack = 0,
): string => computedDefault(name, { nowMs: seoul(wallTime), args, stepsBack });

type Product = 'nowcast' | 'ultra-forecast' | 'village';

const publication = (product: Product, nowMs: number, stepsBack = 0): string => {
  const circumstances = { nowMs, args: {}, stepsBack };
  return `${computedDefault(`kma-${product}-date`, circumstances)} ${computedDefault(`kma-${product}-time`, circumstances)}`;
};

describe('days, months and years in Korea', () => {
  it.each([
    ['2026-11-21T00:00:00', '20261121'],
    ['2026-11-20T23:59:59.999', '20261120'],
    ['2027-01-01T08:59:00', '20270101'],
    ['2028-02-29T12:00:00', '20280229'],
  ])('at %s in Seoul, today is %s, whatever the date in UTC', (wallTime, today) => {
    expect(valueAt('today-kst', wallTime)).toBe(today);
  });

  it.each<[string, string, string]>([
    ['yesterday-kst', '2027-01-01T00:00:00', '20261231'],
    ['yesterday-kst', '2028-03-01T23:59:59', '20280229'],
    ['yesterday-kst', '2026-03-01T00:00:00', '20260228'],
    ['days-ago-2-kst', '2028-03-01T10:00:00', '20280228'],
    ['days-ago-7-kst', '2026-11-05T10:00:00', '20261029'],
    ['days-ago-14-kst', '2027-01-10T10:00:00', '20261227'],
    ['days-ago-30-kst', '2028-03-15T10:00:00', '20280214'],
    ['days-ago-30-kst', '2026-03-15T10:00:00', '20260213'],
    ['days-ago-45-kst', '2027-01-31T10:00:00', '20261217'],
    ['days-ahead-30-kst', '2026-12-15T10:00:00', '20270114'],
    ['days-ahead-30-kst', '2028-01-31T10:00:00', '20280301'],
    ['yesterday-kst-dashed', '2028-03-01T00:00:00', '2028-02-29'],
    ['days-ago-30-kst-dashed', '2027-01-10T23:59:59', '2026-12-11'],
    ['year-kst', '2026-12-31T23:59:59.999', '2026'],
    ['year-kst', '2027-01-01T00:00:00', '2027'],
    ['last-month-kst', '2026-12-31T23:59:59', '202611'],
    ['last-month-kst', '2027-01-01T00:00:00', '202612'],
    ['last-month-kst', '2026-03-31T12:00:00', '202602'],
  ])('%s at %s is %s', (name, wallTime, expected) => {
    expect(valueAt(name, wallTime)).toBe(expected);
  });
});

describe('the weather agency’s publications', () => {
  it.each<[Product, string, string]>([
    ['nowcast', '2026-11-21T00:14:59.999', '20261120 2300'],
    ['nowcast', '2026-11-21T00:15:00', '20261121 0000'],
    ['nowcast', '2026-11-21T09:14:00', '20261121 0800'],
    ['nowcast', '2026-11-21T09:15:00', '20261121 0900'],
    ['nowcast', '2027-01-01T00:00:00', '20261231 2300'],
    ['nowcast', '2028-03-01T00:10:00', '20280229 2300'],
    ['nowcast', '2026-03-01T00:10:00', '20260228 2300'],
    ['ultra-forecast', '2026-11-21T09:49:59.999', '20261121 0830'],
    ['ultra-forecast', '2026-11-21T09:50:00', '20261121 0930'],
    ['ultra-forecast', '2026-11-21T10:49:59', '20261121 0930'],
    ['ultra-forecast', '2026-11-21T00:49:59', '20261120 2330'],
    ['ultra-forecast', '2026-11-21T00:50:00', '20261121 0030'],
    ['ultra-forecast', '2027-01-01T00:10:00', '20261231 2330'],
    ['village', '2026-11-21T02:14:59.999', '20261120 2300'],
    ['village', '2026-11-21T02:15:00', '20261121 0200'],
    ['village', '2026-11-21T05:14:59', '20261121 0200'],
    ['village', '2026-11-21T23:15:00', '20261121 2300'],
    ['village', '2027-01-01T00:30:00', '20261231 2300'],
    ['village', '2028-03-01T01:00:00', '20280229 2300'],
  ])('the latest %s at %s in Seoul is %s', (product, wallTime, expected) => {
    expect(publication(product, seoul(wallTime))).toBe(expected);
  });

  it.each<[Product, (h: number, m: number) => { minutes: number; times: string[] }]>([
    ['nowcast', (h: number, m: number) => ({ minutes: h * 60 + m - 15, times: everyHour('00') })],
    [
      'ultra-forecast',
      (h: number, m: number) => ({ minutes: h * 60 + m - 20, times: everyHour('30') }),
    ],
    ['village', (h: number, m: number) => ({ minutes: h * 60 + m - 15, times: VILLAGE })],
  ])(
    'the %s follows its schedule in every minute of a leap day and of New Year’s Day',
    (product, rule) => {
      for (const [day, before] of [
        ['2028-02-29', '20280228'],
        ['2027-01-01', '20261231'],
      ] as const) {
        for (let h = 0; h < 24; h++) {
          for (let m = 0; m < 60; m++) {
            const { minutes, times } = rule(h, m);
            const out = times.filter(
              (t) => Number(t.slice(0, 2)) * 60 + Number(t.slice(2)) <= minutes,
            );
            const expected = out.length
              ? `${day.replaceAll('-', '')} ${out.at(-1)}`
              : `${before} ${times.at(-1)}`;
            const now = seoul(
              `${day}T${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}:30`,
            );
            expect(publication(product, now)).toBe(expected);
          }
        }
      }
    },
  );

  it('never names a future publication, nor one older than its interval and delay', () => {
    const timestamp = fc.integer({ min: 0, max: seoul('2100-01-01T00:00:00') });
    const product = fc.constantFrom<{ name: Product; maxAgeMinutes: number }>(
      { name: 'nowcast', maxAgeMinutes: 75 },
      { name: 'ultra-forecast', maxAgeMinutes: 80 },
      { name: 'village', maxAgeMinutes: 195 },
    );
    fc.assert(
      fc.property(timestamp, product, (nowMs, { name, maxAgeMinutes }) => {
        const [, y, mo, d, h, mi] = /(....)(..)(..) (..)(..)/.exec(publication(name, nowMs)) ?? [];
        const ageMs = nowMs - seoul(`${y}-${mo}-${d}T${h}:${mi}:00`);
        expect(ageMs).toBeGreaterThan(0);
        expect(ageMs).toBeLessThan(maxAgeMinutes * 60_000);
      }),
    );
  });

  it.each<[string, string, string]>([
    ['kma-mid-issue', '2026-11-21T06:29:59.999', '202611201800'],
    ['kma-mid-issue', '2026-11-21T06:30:00', '202611210600'],
    ['kma-mid-issue', '2026-11-21T18:29:59', '202611210600'],
    ['kma-mid-issue', '2026-11-21T18:30:00', '202611211800'],
    ['kma-mid-issue', '2028-03-01T00:00:00', '202802291800'],
    ['kma-mid-issue', '2027-01-01T03:00:00', '202612311800'],
    ['kma-asos-day', '2026-11-21T09:59:59.999', '20261119'],
    ['kma-asos-day', '2026-11-21T10:00:00', '20261120'],
    ['kma-asos-day', '2027-01-01T10:00:00', '20261231'],
    ['kma-asos-day', '2028-03-01T10:00:00', '20280229'],
    ['kma-asos-day', '2028-03-01T09:59:00', '20280228'],
    ['kma-living-index-time', '2026-11-21T02:59:59.999', '2026112100'],
    ['kma-living-index-time', '2026-11-21T03:00:00', '2026112103'],
    ['kma-living-index-time', '2026-11-21T23:59:59', '2026112121'],
    ['kma-living-index-time', '2027-01-01T00:00:00', '2027010100'],
    ['kma-radar-day', '2026-11-21T00:14:59.999', '20261120'],
    ['kma-radar-day', '2026-11-21T00:15:00', '20261121'],
    ['kma-radar-day', '2028-03-01T00:00:00', '20280229'],
  ])('%s at %s is %s', (name, wallTime, expected) => {
    expect(valueAt(name, wallTime)).toBe(expected);
  });

  it.each([
    ['ODAM', '2026-11-21T00:14:00', '202611202300'],
    ['ODAM', '2026-11-21T00:15:00', '202611210000'],
    ['VSRT', '2026-11-21T00:49:00', '202611202330'],
    ['VSRT', '2026-11-21T00:50:00', '202611210030'],
    ['SHRT', '2026-11-21T02:14:00', '202611202300'],
    ['SHRT', '2026-11-21T02:15:00', '202611210200'],
  ])('the version of %s at %s is that of the publication of %s', (ftype, wallTime, expected) => {
    expect(valueAt('kma-version-datetime', wallTime, { ftype })).toBe(expected);
  });
});

describe('economic statistics and filings', () => {
  it.each<[string, string]>([
    ['2026-11-18T10:59:59.999', '20261117'],
    ['2026-11-18T11:00:00', '20261118'],
    ['2026-11-20T23:59:00', '20261120'],
    ['2026-11-21T11:00:00', '20261120'],
    ['2026-11-22T12:00:00', '20261120'],
    ['2026-11-23T10:59:00', '20261120'],
    ['2026-11-23T11:00:00', '20261123'],
    ['2027-01-01T10:59:00', '20261231'],
    ['2028-02-29T11:00:00', '20280229'],
  ])('the exchange day at %s is %s', (wallTime, expected) => {
    expect(valueAt('exchange-day', wallTime)).toBe(expected);
  });

  it('the fiscal year changes on 1 April', () => {
    for (let month = 1; month <= 12; month++) {
      const first = `2026-${String(month).padStart(2, '0')}-01T00:00:00`;
      expect(valueAt('fiscal-year-kst', first)).toBe(month >= 4 ? '2025' : '2024');
    }
    expect(valueAt('fiscal-year-kst', '2026-03-31T23:59:59.999')).toBe('2024');
    expect(valueAt('fiscal-year-kst', '2028-02-29T12:00:00')).toBe('2026');
  });

  it.each([
    ['2026-11-15T23:59:59.999', '202510', '202609'],
    ['2026-11-16T00:00:00', '202511', '202610'],
    ['2027-01-15T12:00:00', '202512', '202611'],
    ['2027-01-16T00:00:00', '202601', '202612'],
    ['2026-02-15T12:00:00', '202501', '202512'],
    ['2026-03-31T12:00:00', '202503', '202602'],
  ])('at %s, the customs range is %s to %s', (wallTime, first, last) => {
    expect(valueAt('customs-first-month', wallTime)).toBe(first);
    expect(valueAt('customs-last-month', wallTime)).toBe(last);
  });

  it('the customs range covers at most 12 months if the caller gives one end', () => {
    const now = '2026-11-21T12:00:00';
    expect(valueAt('customs-first-month', now, { endYymm: '202402' })).toBe('202303');
    expect(valueAt('customs-last-month', now, { strtYymm: '202402' })).toBe('202501');
    expect(valueAt('customs-last-month', now, { strtYymm: '202606' })).toBe('202610');
  });

  it.each([
    ['D', '2026-01-05T00:00:00', '20251205', '20260105'],
    ['D', '2026-03-31T12:00:00', '20260228', '20260331'],
    ['D', '2028-03-29T12:00:00', '20280229', '20280329'],
    ['M', '2026-01-31T23:59:59', '202501', '202601'],
    ['M', '2026-02-01T00:00:00', '202502', '202602'],
    ['SM', '2026-01-15T23:59:59', '202501S1', '202601S1'],
    ['SM', '2026-01-16T00:00:00', '202501S2', '202601S2'],
    ['SM', '2028-02-29T00:00:00', '202702S2', '202802S2'],
    ['Q', '2026-03-31T23:59:59', '2024Q1', '2026Q1'],
    ['Q', '2026-04-01T00:00:00', '2024Q2', '2026Q2'],
    ['Q', '2026-12-31T12:00:00', '2024Q4', '2026Q4'],
    ['S', '2026-06-30T23:59:59', '2024S1', '2026S1'],
    ['S', '2026-07-01T00:00:00', '2024S2', '2026S2'],
    ['A', '2026-12-31T23:59:59', '2016', '2026'],
    ['A', '2027-01-01T00:00:00', '2017', '2027'],
  ])('the central bank’s range for cycle %s at %s is %s to %s', (cycle, wallTime, start, end) => {
    expect(valueAt('ecos-start', wallTime, { cycle })).toBe(start);
    expect(valueAt('ecos-end', wallTime, { cycle })).toBe(end);
  });

  it.each([
    ['D', '20240305', '20240205'],
    ['M', '202402', '202302'],
    ['SM', '202402S2', '202302S2'],
    ['SM', '202402S1', '202302S1'],
    ['Q', '2020Q4', '2018Q4'],
    ['S', '2020S2', '2018S2'],
    ['A', '2010', '2000'],
    ['M', 'lately', '202511'],
  ])(
    'the central bank’s range for cycle %s that ends in %s starts in %s',
    (cycle, end_time, start) => {
      expect(valueAt('ecos-start', '2026-11-21T12:00:00', { cycle, end_time })).toBe(start);
    },
  );

  it.each([
    [{}, '2027-01-03T12:00:00', '20261227'],
    [{ corp_code: '' }, '2027-01-03T12:00:00', '20261227'],
    [{ corp_code: '00126380' }, '2027-01-03T12:00:00', '20260103'],
    [{ corp_code: '00126380' }, '2028-02-29T12:00:00', '20270228'],
    [{ end_de: '20240303' }, '2027-01-03T12:00:00', '20240225'],
    [{ corp_code: '00126380', end_de: '20240303' }, '2027-01-03T12:00:00', '20230303'],
  ])('the range of disclosures for %j at %s starts on %s', (args, wallTime, expected) => {
    expect(valueAt('dart-begin-date', wallTime, args)).toBe(expected);
  });

  it.each([
    [{}, '2027-01-03T00:00:00', '202612270000', '202701030000'],
    [{}, '2028-03-01T23:59:59', '202802230000', '202803012359'],
    [{ inqryEndDt: '202408072359' }, '2027-01-03T12:00:00', '202407310000', '202701031200'],
    [{ inqryBgnDt: '202402010000' }, '2027-01-03T12:00:00', '202612270000', '202402292359'],
    [{ inqryBgnDt: '202612250000' }, '2027-01-03T12:00:00', '202612270000', '202701031200'],
  ])('the range of tenders for %j at %s is %s to %s', (args, wallTime, begin, end) => {
    expect(valueAt('procurement-begin', wallTime, args)).toBe(begin);
    expect(valueAt('procurement-end', wallTime, args)).toBe(end);
  });
});

describe('a step back', () => {
  it.each<[string, string, string[]]>([
    ['kma-nowcast-time', '2027-01-01T01:20:00', ['0100', '0000', '2300']],
    ['kma-nowcast-date', '2027-01-01T01:20:00', ['20270101', '20270101', '20261231']],
    ['kma-ultra-forecast-time', '2027-01-01T01:20:00', ['0030', '2330', '2230']],
    ['kma-ultra-forecast-date', '2027-01-01T01:20:00', ['20270101', '20261231', '20261231']],
    ['kma-village-time', '2028-03-01T02:20:00', ['0200', '2300', '2000']],
    ['kma-village-date', '2028-03-01T02:20:00', ['20280301', '20280229', '20280229']],
    ['kma-mid-issue', '2027-01-01T07:00:00', ['202701010600', '202612311800', '202612310600']],
    ['kma-living-index-time', '2027-01-01T03:00:00', ['2027010103', '2027010100', '2026123121']],
    ['kma-asos-day', '2027-01-02T10:00:00', ['20270101', '20261231']],
    ['kma-radar-day', '2027-01-01T12:00:00', ['20270101', '20261231']],
    ['today-kst', '2028-03-01T12:00:00', ['20280301', '20280229', '20280228']],
    ['yesterday-kst', '2027-01-01T12:00:00', ['20261231', '20261230']],
    ['days-ago-45-kst', '2026-11-21T12:00:00', ['20261007', '20260922', '20260907', '20260823']],
    ['fiscal-year-kst', '2026-11-21T12:00:00', ['2025', '2024']],
    ['last-month-kst', '2026-02-21T12:00:00', ['202601', '202512']],
    ['year-kst', '2028-02-29T12:00:00', ['2028', '2027']],
    ['exchange-day', '2026-11-24T12:00:00', ['20261124', '20261123', '20261120', '20261119']],
    ['exchange-day', '2026-11-22T12:00:00', ['20261120', '20261119']],
    ['customs-last-month', '2027-01-31T12:00:00', ['202612', '202611']],
    ['customs-first-month', '2027-01-31T12:00:00', ['202601', '202512']],
  ])('of %s at %s goes through %j', (name, wallTime, expected) => {
    expect(expected.map((_, steps) => valueAt(name, wallTime, {}, steps))).toEqual(expected);
  });

  it('of a version depends on its product', () => {
    const back = (ftype: string) =>
      valueAt('kma-version-datetime', '2026-11-21T00:20:00', { ftype }, 1);
    expect(['ODAM', 'VSRT', 'SHRT'].map(back)).toEqual([
      '202611202300',
      '202611202230',
      '202611202000',
    ]);
  });
});

describe('every name that the compiler accepts', () => {
  it.each([...COMPUTED_DEFAULTS.keys()])('%s has a value at any time', (name) => {
    const timestamp = fc.integer({ min: 0, max: seoul('2100-01-01T00:00:00') });
    fc.assert(
      fc.property(timestamp, fc.nat({ max: 7 }), (nowMs, stepsBack) => {
        expect(computedDefault(name, { nowMs, args: {}, stepsBack })).toMatch(
          /^(1|\d{4}|\d{6}|\d{8}|\d{10}|\d{12}|\d{4}-\d\d-\d\d)$/,
        );
      }),
    );
  });
});

const VILLAGE = ['0200', '0500', '0800', '1100', '1400', '1700', '2000', '2300'];

function everyHour(minutes: string): string[] {
  return Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}${minutes}`);
}
