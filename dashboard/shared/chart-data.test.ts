import { expect, test } from 'vitest';
import { stack } from './chart-data.ts';

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
