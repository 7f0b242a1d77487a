import { expect, it } from 'vitest';
import { inOrder, periodOf, readOverviewSearch, wholeMinutes } from './overview-search.ts';

it('reads what the overview keeps in its address, and nothing else', () => {
  expect(readOverviewSearch({ range: '7d', by: 'tool', scope: 'all' })).toEqual({
    range: '7d',
    by: 'tool',
    scope: 'all',
  });
  expect(readOverviewSearch({ range: '24h', by: 'none' })).toEqual({});
  expect(readOverviewSearch({ range: '2y', by: 7, scope: 'x', other: 1 })).toEqual({});
});

const FROM = '2026-01-01T00:00:00.000Z';
const TO = '2026-01-01T02:00:00.000Z';

it('reads a period with both ends, in order', () => {
  expect(readOverviewSearch({ from: '2026-01-01T09:00+09:00', to: TO })).toEqual({
    from: FROM,
    to: TO,
  });
  expect(readOverviewSearch({ from: FROM })).toEqual({});
  expect(readOverviewSearch({ from: TO, to: FROM })).toEqual({});
  expect(readOverviewSearch({ from: 'yesterday', to: TO })).toEqual({});
  expect(readOverviewSearch({ from: 1, to: `${TO}${' '.repeat(40)}` })).toEqual({});
});

it('finds the period of an address, and the one before it', () => {
  const now = Date.parse(TO);
  expect(periodOf({ range: '1h' }, now)).toEqual({ from: '2026-01-01T01:00:00.000Z', to: TO });
  expect(periodOf({ range: '1h' }, now, 1).to).toBe('2026-01-01T01:00:00.000Z');
  const own = { range: '1h', from: FROM, to: TO } as const;
  expect(periodOf(own, now + 7)).toEqual({ from: FROM, to: TO });
  expect(periodOf(own, now, 1)).toEqual({ from: '2025-12-31T22:00:00.000Z', to: FROM });
});

it('widens a stretch of time to whole minutes', () => {
  const at = Date.parse(FROM);
  expect(wholeMinutes(at + 59_000, at + 61_000)).toEqual({
    from: FROM,
    to: '2026-01-01T00:02:00.000Z',
  });
});

it('turns round a period whose end is before its beginning', () => {
  expect(inOrder({ from: TO, to: FROM })).toEqual({ from: FROM, to: TO });
  expect(inOrder({ from: FROM, to: TO })).toEqual({ from: FROM, to: TO });
});
