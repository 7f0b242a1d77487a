import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LISTED_ROWS, type RowRules, refineRows } from './refine-rows.ts';

function refined(rows: unknown, rules: Partial<RowRules>): [string, number | undefined] {
  const json = Buffer.from(typeof rows === 'string' ? rows : JSON.stringify({ rows }));
  const count = JSON.parse(json.toString()).rows.length;
  const result = refineRows({ json, rows: count }, ['rows'], { itemWrapper: null, ...rules });
  return [result.json.toString(), result.rows];
}

const payload = (rows: unknown): string => JSON.stringify({ rows });

describe('a column that lists rows', () => {
  const listed = (rows: unknown) => refined(rows, { listColumn: 'url' });

  it.each([
    ['a text in brackets', [{ url: '[a, b ,c]' }], ['a', 'b', 'c']],
    ['an array', [{ url: ['a', 'b'] }], ['a', 'b']],
    ['one element', [{ url: '[a]' }], ['a']],
    ['no element', [{ url: '[]' }], []],
    ['several rows', [{ url: '[a]' }, { url: '[b,c]' }], ['a', 'b', 'c']],
    ['a plain address', [{ url: 'a' }], ['a']],
  ])('becomes rows: %s', (_, rows, urls) => {
    expect(listed(rows)).toEqual([payload(urls.map((url) => ({ url }))), urls.length]);
  });

  it('stays as it is in a row with other columns, digits included', () => {
    const text = '{"rows":[{"url":"[a,b]","n":12345678901234567890}]}';
    expect(listed(text)).toEqual([text, 1]);
    const mixed = '{"rows":[{"url":"[a,b]"},{"n":12345678901234567890}]}';
    expect(listed(mixed)).toEqual([
      '{"rows":[{"url":"a"},{"url":"b"},{"n":12345678901234567890}]}',
      3,
    ]);
  });

  it('stays as it is if it is too long', () => {
    const list = (length: number) => [{ url: `[${'a,'.repeat(length - 1)}a]` }];
    expect(listed(list(MAX_LISTED_ROWS))[1]).toBe(MAX_LISTED_ROWS);
    expect(listed(list(MAX_LISTED_ROWS + 1))[1]).toBe(1);
    const array = [{ url: Array.from({ length: MAX_LISTED_ROWS + 1 }, () => 'a') }];
    expect(listed(array)[1]).toBe(1);
  });
});

describe('a filter that the upstream may ignore', () => {
  const filters = [
    { argument: 'NM', column: 'nm' },
    { argument: 'DAY', column: 'day' },
  ];
  const rows = [
    { nm: '보령 머드축제', day: '2026-07-24' },
    { nm: '부산불꽃축제', day: '2026-07-24' },
    { nm: 'Jazz Festival', day: '' },
    { other: 1 },
  ];
  const names = (args: Record<string, unknown>) => {
    const [json, count] = refined(rows, { filters, arguments: args });
    const kept: { nm?: string }[] = JSON.parse(json).rows;
    expect(count).toBe(kept.length);
    return kept.map(({ nm }) => nm);
  };

  it.each<[Record<string, unknown>, (string | undefined)[]]>([
    [{}, ['보령 머드축제', '부산불꽃축제', 'Jazz Festival', undefined]],
    [{ NM: '' }, ['보령 머드축제', '부산불꽃축제', 'Jazz Festival', undefined]],
    [{ NM: '보령머드' }, ['보령 머드축제', undefined]],
    [{ NM: '보령머드'.normalize('NFD') }, ['보령 머드축제', undefined]],
    [{ NM: 'jazz' }, ['Jazz Festival', undefined]],
    [{ DAY: '2026-07-24' }, ['보령 머드축제', '부산불꽃축제', undefined]],
    [{ NM: '불꽃', DAY: '2026-07-24' }, ['부산불꽃축제', undefined]],
    [{ NM: '없음' }, [undefined]],
  ])('keeps the rows that contain %j, and those without the column', (args, expected) => {
    expect(names(args)).toEqual(expected);
  });

  it('looks into wrapped rows, and keeps the bytes of a page in which every row matches', () => {
    const wrapped = '{"rows":[ {"doc":{"nm":"a"}}, {"doc":{"nm":"b"}} ]}';
    const rules = { filters, itemWrapper: 'doc' };
    expect(refined(wrapped, { ...rules, arguments: { NM: 'B' } })).toEqual([
      '{"rows":[{"doc":{"nm":"b"}}]}',
      1,
    ]);
    expect(refined(wrapped, { ...rules, arguments: {} })).toEqual([wrapped, 2]);
  });

  it('only ever leaves rows out, in their order', () => {
    const row = fc.record({ nm: fc.oneof(fc.string(), fc.jsonValue()), day: fc.string() });
    fc.assert(
      fc.property(fc.array(row), fc.string(), (all, name) => {
        const [json] = refined(all, { filters, arguments: { NM: name } });
        const texts = all.map((each) => JSON.stringify(each));
        let at = 0;
        for (const kept of JSON.parse(json).rows) {
          at = texts.indexOf(JSON.stringify(kept), at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });
});
