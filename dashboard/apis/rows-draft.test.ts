import { expect, it } from 'vitest';
import { AdminError } from '../api/admin-error.ts';
import { refusalOf, rowsDraftOf, withRows } from './rows-draft.ts';

const OPERATION = 'GET /books';
const EMPTY = rowsDraftOf([], OPERATION);
const others = [
  { operation: null, extension: 'x-public-data', value: true },
  { operation: OPERATION, extension: 'x-tool-name', value: 'books' },
  { operation: 'GET /authors', extension: 'x-items', value: '/authors' },
];
const of = (extension: string, value: unknown) => ({ operation: OPERATION, extension, value });

it('replaces what is said of the rows of one operation, and keeps everything else', () => {
  const before = [...others, of('x-items', '/old'), of('x-paging', 'none')];
  const draft = { ...EMPTY, place: 'pointer', items: '/books', total: '/count' } as const;
  expect(withRows(before, OPERATION, draft)).toEqual([
    ...others,
    of('x-items', '/books'),
    of('x-total', '/count'),
  ]);
  expect(withRows(before, OPERATION, EMPTY)).toEqual(others);
});

it.each([
  [of('x-items', '')],
  [of('x-items', '/data/books'), of('x-total', '/total')],
  [of('x-paging', 'none')],
  [of('x-paging', { page: 'page', size: 'per_page', first: 0 })],
  [of('x-paging', { offset: 'start', size: 'limit', first: 1 })],
  [of('x-paging', { cursor: 'after', at: '/meta/next' })],
  [of('x-paging', { lastId: 'starting_after' })],
])('reads what it writes: %j', (...extensions) => {
  expect(withRows(extensions, OPERATION, rowsDraftOf(extensions, OPERATION))).toEqual(extensions);
});

it('drops what another way to the next page does not take', () => {
  const draft = rowsDraftOf([of('x-paging', { page: 'p', size: 's', first: 0 })], OPERATION);
  expect(withRows([], OPERATION, { ...draft, next: 'cursor', argument: 'c' })).toEqual([
    of('x-paging', { cursor: 'c' }),
  ]);
});

it('finds what the gateway says of each extension', () => {
  const message =
    'The registration is not valid: /extensions/0 x-items must be a JSON pointer, such as /a. /extensions/12 x-total must be one, too.';
  const error = new AdminError(message, { status: 400, code: 'invalid_arguments' });
  expect(refusalOf(error, 'x-items')).toBe('must be a JSON pointer, such as /a.');
  expect(refusalOf(error, 'x-total')).toBe('must be one, too.');
  expect([refusalOf(error, 'x-paging'), refusalOf(null, 'x-items')]).toEqual([null, null]);
});
