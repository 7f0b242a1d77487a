import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPUTED_DEFAULTS } from '../openapi/tool.ts';
import { computedDefault } from './computed-default.ts';

/** The moment that a clock on a wall in Seoul shows, `2026-11-21T09:50:00`. */
const seoul = (wallTime: string): number => Date.parse(`${wallTime}+09:00`);

const issue = (product: string, nowMs: number): string =>
  `${computedDefault(`kma-${product}-date`, nowMs)} ${computedDefault(`kma-${product}-time`, nowMs)}`;

describe('computedDefault', () => {
  it.each([
    ['2026-11-21T00:00:00', '20261121'],
    ['2026-11-20T23:59:59.999', '20261120'],
    ['2027-01-01T08:59:00', '20270101'],
    ['2028-02-29T12:00:00', '20280229'],
  ])('at %s in Seoul today is %s, whatever the day is in UTC', (wallTime, today) => {
    expect(computedDefault('today-kst', seoul(wallTime))).toBe(today);
  });

  it.each([
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
    expect(issue(product, seoul(wallTime))).toBe(expected);
  });

  it.each([
    ['nowcast', (h: number, m: number) => ({ minutes: h * 60 + m - 15, times: everyHour('00') })],
    [
      'ultra-forecast',
      (h: number, m: number) => ({ minutes: h * 60 + m - 20, times: everyHour('30') }),
    ],
    ['village', (h: number, m: number) => ({ minutes: h * 60 + m - 15, times: VILLAGE })],
  ])(
    'the %s follows its timetable through every minute of a leap day and a year end',
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
            expect(issue(product, now)).toBe(expected);
          }
        }
      }
    },
  );

  it('never names an issue of the future, nor one older than its interval and delay', () => {
    const moment = fc.integer({ min: 0, max: seoul('2100-01-01T00:00:00') });
    const product = fc.constantFrom(
      { name: 'nowcast', maxAgeMinutes: 75 },
      { name: 'ultra-forecast', maxAgeMinutes: 80 },
      { name: 'village', maxAgeMinutes: 195 },
    );
    fc.assert(
      fc.property(moment, product, (nowMs, { name, maxAgeMinutes }) => {
        const [, y, mo, d, h, mi] = /(....)(..)(..) (..)(..)/.exec(issue(name, nowMs)) ?? [];
        const ageMs = nowMs - seoul(`${y}-${mo}-${d}T${h}:${mi}:00`);
        expect(ageMs).toBeGreaterThan(0);
        expect(ageMs).toBeLessThan(maxAgeMinutes * 60_000);
      }),
    );
  });

  it('knows every expression that the compiler lets through', () => {
    for (const name of COMPUTED_DEFAULTS) expect(computedDefault(name, 0)).toMatch(/^\d{4,8}$/);
  });

  it('refuses a name that is not in the list', () => {
    expect(() => computedDefault('tomorrow', 0)).toThrow(
      expect.objectContaining({ code: 'internal' }),
    );
  });
});

const VILLAGE = ['0200', '0500', '0800', '1100', '1400', '1700', '2000', '2300'];

function everyHour(minutes: string): string[] {
  return Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}${minutes}`);
}
