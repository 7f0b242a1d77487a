import { expect, it } from 'vitest';
import { readOverviewSearch } from './overview-search.ts';

it('reads what the overview keeps in its address, and nothing else', () => {
  expect(readOverviewSearch({ range: '7d', by: 'tool', scope: 'all' })).toEqual({
    range: '7d',
    by: 'tool',
    scope: 'all',
  });
  expect(readOverviewSearch({ range: '24h', by: 'none' })).toEqual({});
  expect(readOverviewSearch({ range: '2y', by: 7, scope: 'x', other: 1 })).toEqual({});
});
