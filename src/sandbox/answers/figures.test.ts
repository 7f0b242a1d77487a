import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { increaseId, printLike, readFigure, vary } from './figures.ts';

describe('figures', () => {
  it.each([
    ['790,000', 790_000],
    ['-.19', -0.19],
    ['+0.39', 0.39],
    [37.5, 37.5],
    ['', undefined],
    ['강수없음', undefined],
    [null, undefined],
  ])('%j is read as %j', (text, value) => {
    expect(readFigure(text)).toBe(value);
  });

  it.each([
    ['1,278.24', 1530.5, '1,530.50'],
    ['-.19', -0.5, '-.50'],
    ['-.19', 12.5, '12.50'],
    ['820', 1234.5, '1235'],
    [36.3, 0.1234, 0.1],
  ])('like %j, %d is printed as %j', (sample, value, text) => {
    expect(printLike(sample, value)).toBe(text);
  });

  it('are read as they were printed', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (value) => {
        expect(readFigure(printLike('1,000.00', value / 100))).toBeCloseTo(value / 100, 2);
      }),
    );
  });

  it('vary by at most the spread, and equally in every run', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const value = Number(vary('1000', 0.2, seed));
        expect(value).toBeGreaterThanOrEqual(800);
        expect(value).toBeLessThanOrEqual(1200);
        expect(vary('1000', 0.2, seed)).toBe(String(value));
      }),
    );
    expect(vary('없음', 0.5, 'x')).toBe('없음');
  });
});

it.each([
  ['PF287093', 4, 'PF287097'],
  ['0000099', 1, '0000100'],
  [7101020, 2, 7101022],
  ['없음', 1, '없음'],
  [null, 1, null],
])('the id %j increased by %d is %j', (id, by, next) => {
  expect(increaseId(id, by)).toBe(next);
});
