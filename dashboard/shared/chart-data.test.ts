import { expect, test } from 'vitest';
import { stack, stepAt, valueRange, wholeSteps } from './chart-data.ts';

const series = (key: string, values: (number | null)[]) =>
  ({ key, label: key, colour: '--chart-1', values }) as const;

test('stacks series, the highest first', () => {
  expect(stack([series('a', [1, null, 3]), series('b', [10, 20, null])])).toEqual([
    [11, 20, 3],
    [1, 0, 3],
  ]);
});

test('stacks nothing', () => {
  expect(stack([])).toEqual([]);
});

test('a point is about the time until the next one; the last is as long as the one before', () => {
  expect([0, 1, 2].map((at) => stepAt([10, 20, 30], at))).toEqual([
    [10, 20],
    [20, 30],
    [30, 40],
  ]);
  expect([stepAt([10], 0), stepAt([10, 20], 5), stepAt([], 0)]).toEqual([null, null, null]);
});

test('a stretch of time ends with the step of its last point', () => {
  expect(wholeSteps([10, 20, 30], 12, 30)).toEqual([12, 40]);
  expect(wholeSteps([10, 20, 30], 5, 14)).toEqual([5, 20]);
  expect(wholeSteps([10], 5, 14)).toEqual([5, 14]);
});

test.each([
  ['values above zero', 2, 20, [0, 22]],
  ['a winter', -7, 3, [-8, 4]],
  ['a cold winter', -20, -5, [-22, 0]],
  ['only zeros', 0, 0, [0, 1]],
  ['no values', null, null, [0, 1]],
])('the axis of %s covers zero and all of them', (_, min, max, range) => {
  expect(valueRange(min, max)).toEqual(range);
});
