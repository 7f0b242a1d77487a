import { expect, test } from 'vitest';
import { directionOf, inOrder, nextOrder } from './sort-rows.ts';

interface Row {
  readonly name: string;
  readonly calls: number | null;
}
const ROWS: Row[] = [
  { name: 'key 10', calls: 2 },
  { name: 'Key 9', calls: null },
  { name: 'alpha', calls: 11 },
];
const COLUMNS = [
  { header: 'Name', sort: ({ name }: Row) => name },
  { header: 'Calls', key: 'calls', sort: ({ calls }: Row) => calls },
];
const sorted = (by: string, isDescending: boolean) =>
  inOrder(ROWS, COLUMNS, { by, isDescending }).map(({ name }) => name);

test('sorts texts as readers count, and numbers, with what is missing last in both directions', () => {
  expect(sorted('Name', false)).toEqual(['alpha', 'Key 9', 'key 10']);
  expect(sorted('Name', true)).toEqual(['key 10', 'Key 9', 'alpha']);
  expect(sorted('calls', false)).toEqual(['key 10', 'alpha', 'Key 9']);
  expect(sorted('calls', true)).toEqual(['alpha', 'key 10', 'Key 9']);
});

test('leaves the rows as they are without an order, or with one of a column that is gone', () => {
  expect(inOrder(ROWS, COLUMNS, null)).toBe(ROWS);
  expect(inOrder(ROWS, COLUMNS, { by: 'owner', isDescending: true })).toBe(ROWS);
});

test('the first click sorts, the second turns round, the third ends it', () => {
  const first = nextOrder('calls', { by: 'Name', isDescending: false }, true);
  const second = nextOrder('calls', first, true);
  expect([first, second].map((order) => directionOf('calls', order))).toEqual([
    'descending',
    'ascending',
  ]);
  expect(nextOrder('calls', second, true)).toBeNull();
  expect(directionOf('Name', first)).toBe('none');
});
