import { expect, test } from 'vitest';
import { pageAfter, pageBefore, readPosition, searchOf } from './page-search.ts';

const first = readPosition({});

test('a page can be opened from its address, and leads back through the pages before', () => {
  const third = pageAfter(pageAfter(first, 'a~%7E'), 'b');
  expect(third).toEqual({ page: 3, cursors: ['a~%7E', 'b'] });
  expect(readPosition(searchOf(third))).toEqual(third);
  expect(pageBefore(third)).toEqual({ page: 2, cursors: ['a~%7E'] });
  expect(searchOf(pageBefore(pageBefore(third)))).toEqual({ page: undefined, cursor: undefined });
});

test('an address keeps the last ten cursors; before them comes the first page', () => {
  let position = first;
  for (let n = 0; n < 30; n++) position = pageAfter(position, `c${n}`);
  expect(position).toMatchObject({ page: 31, cursors: { length: 10 } });
  for (let n = 0; n < 9; n++) position = pageBefore(position);
  expect(position).toEqual({ page: 22, cursors: ['c20'] });
  expect(pageBefore(position)).toEqual(first);
});

test('lists on one page have their own members', () => {
  const second = pageAfter(first, 'c');
  expect(searchOf(second, 'jobs_')).toEqual({ jobs_page: 2, jobs_cursor: 'c' });
  expect(readPosition(searchOf(second, 'jobs_'))).toEqual(first);
});

test.each([
  { page: 2 },
  { page: 0, cursor: 'c' },
  { page: 1.5, cursor: 'c' },
  { page: 'x', cursor: 'c' },
  { page: 2, cursor: 7 },
  { page: 2, cursor: 'c'.repeat(5001) },
])('the first page is shown for %j', (search) => {
  expect(readPosition(search)).toEqual(first);
});
