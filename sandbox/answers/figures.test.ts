import fc from 'fast-check';
import { expect, it } from 'vitest';
import { increaseId, readFigure, withCommas } from './figures.ts';

it.each([
  ['790,000', 790_000],
  ['-.19', -0.19],
  ['+0.39', 0.39],
  [37.5, 37.5],
  ['', undefined],
  ['강수없음', undefined],
  [null, undefined],
])('the figure %j is read as %j', (text, value) => {
  expect(readFigure(text)).toBe(value);
});

it('a figure is read as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (value) => {
      expect(readFigure(withCommas(value))).toBe(value);
      expect(readFigure(withCommas((value / 100).toFixed(2)))).toBeCloseTo(value / 100, 2);
    }),
  );
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
