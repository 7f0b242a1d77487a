import { expect, test } from 'vitest';
import { readKeySearch } from './key-search.ts';

test('keeps the filters that exist', () => {
  const search = { q: 'ci', state: 'active', concern: 'no_expiry' };
  expect(readKeySearch(search)).toEqual(search);
});

test('ignores what is no filter, and cuts a long text', () => {
  expect(readKeySearch({ q: '', state: 'new', concern: 7, page: 2 })).toEqual({});
  expect(readKeySearch({ q: 'x'.repeat(200) }).q).toHaveLength(100);
});
