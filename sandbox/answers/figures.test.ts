import { expect, it } from 'vitest';
import { increaseId, printFigure, readFigure } from './figures.ts';

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

it.each([
  [1234567, '790,000', '1,234,567'],
  [-0.2, '+0.39', '-0.20'],
  [0.5, '+0.39', '+0.50'],
  [-0.2, 12, 0],
  [41.26, 37.5, 41.3],
])('the figure %d in the form of %j is %j', (figure, form, text) => {
  expect(printFigure(figure, form)).toBe(text);
});

it.each([
  ['PF287093', 4, 'PF287097'],
  ['OL27448W', 1, 'OL27449W'],
  ['0000099', 1, '0000100'],
  [7101020, 2, 7101022],
  ['없음', 1, '없음'],
  [null, 1, null],
])('the id %j increased by %d is %j', (id, by, next) => {
  expect(increaseId(id, by)).toBe(next);
});
