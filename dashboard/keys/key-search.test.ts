import { expect, test } from 'vitest';
import { readKeyPageSearch, readKeySearch } from './key-search.ts';

test('keeps the filters that exist', () => {
  const search = { q: 'ci', state: 'active', concern: 'no_expiry' };
  expect(readKeySearch(search)).toEqual(search);
});

test('ignores what is no filter, and cuts a long text', () => {
  expect(readKeySearch({ q: '', state: 'new', concern: 7, page: 2 })).toEqual({});
  expect(readKeySearch({ q: 'x'.repeat(200) }).q).toHaveLength(100);
});

test('the page of a key keeps a known period other than the usual one in its address', () => {
  expect(readKeyPageSearch({ range: '24h' })).toEqual({ range: '24h' });
  expect(readKeyPageSearch({ range: '7d' })).toEqual({});
  expect(readKeyPageSearch({ range: 'always' })).toEqual({});
});
