import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CONDITIONS, MAX_VALUES, whereIssues, whereOf } from './where.ts';

const issuesOf = (where: unknown) => whereIssues(where, ['a', 'b']).map(({ path }) => path);

describe('a filter of rows', () => {
  it.each<[unknown, string, boolean]>([
    ['x', 'x', true],
    [3, '3.0', true],
    [3, '', false],
    [null, '', true],
    [['x', 'y'], 'y', true],
    [['x', 'y'], 'z', false],
    [{ from: 10 }, '9', false],
    [{ from: 10 }, '1,200', true],
    [{ from: '20261101', to: '20261130' }, '20261122', true],
    [{ from: '2026-11-01', to: '2026-11-30' }, '2026-12-01', false],
    ['2026-11-22', '20261122', true],
    ['20261122', '2026-11-22', true],
    ['2026-11-22', '20261123', false],
    [{ from: '2026-11-21', to: '2026-11-22' }, '20261122', true],
    [{ from: '2026-11-21', to: '2026-11-22' }, '20261123', false],
    [{ from: '20261121', to: '20261122' }, '2026-11-23', false],
    ['2026-11-28T00:00', '2026-11-27 24:00', true],
    ['2026-11-28 00:00', '202611272400', true],
    ['202611280000', '2026112724', true],
    ['2026-11-28T00:00', '2026112724', true],
    ['2026-11-27 24:00', '2026-11-27 24:00', true],
    ['2026-11-27 24:00', '2026-11-28 00:00', true],
    ['2026-11-27', '2026-11-27 24:00', false],
    [{ from: '2026-11-28' }, '2026-11-27 24:00', true],
    [{ to: '2026-11-27T23:59' }, '2026-11-27 24:00', false],
    [{ from: '2026-11-28T00:00', to: '2026-11-28T00:00' }, '2026-11-27 24:00', true],
    [{ from: '2026-12-31 24:00', to: '202701010000' }, '202612312400', true],
    [{ to: 'm' }, 'b', true],
    [{ to: 5 }, '', false],
  ])('%j of %j is %s', (wanted, text, isMatch) => {
    expect(issuesOf({ a: wanted })).toEqual([]);
    expect(whereOf({ a: wanted }).get('a')?.(text)).toBe(isMatch);
  });

  it.each<[unknown, string[]]>([
    [7, ['/_where']],
    [[], ['/_where']],
    [{ c: 1 }, ['/_where/c']],
    [{ a: [] }, ['/_where/a']],
    [{ a: [{}] }, ['/_where/a']],
    [{ a: {} }, ['/_where/a']],
    [{ a: { from: 1, until: 2 } }, ['/_where/a']],
    [{ a: { from: [1] } }, ['/_where/a']],
    [
      { a: { from: 2, to: 1 }, b: { from: '20261130', to: '20261101' } },
      ['/_where/a', '/_where/b'],
    ],
    [{ a: Array(MAX_VALUES + 1).fill(1) }, ['/_where/a']],
    [Object.fromEntries(Array.from({ length: MAX_CONDITIONS + 1 }, (_, n) => [n, 1])), ['/_where']],
  ])('%j is refused', (where, paths) => {
    expect(issuesOf(where)).toEqual(paths);
  });

  it('names the known columns, and accepts all where they are not described', () => {
    expect(whereIssues({ c: 1 }, ['a', 'b'])[0]?.message).toBe('is not a column. Columns: a, b.');
    expect(whereIssues({ c: 1 }, null)).toEqual([]);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (where, text) => {
        if (whereIssues(where, null).length > 0) return;
        for (const condition of whereOf(where).values()) condition(text);
      }),
    );
  });
});
