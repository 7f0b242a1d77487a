import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import { MAX_LISTED_ROWS, type RowRules, refineRows, shapeRows } from './rows.ts';

function shaped(json: string, pointer: string, empty = false): [string, number | undefined] {
  const document = new JsonDocument(Buffer.from(json));
  const result = shapeRows(document, parsePointer(pointer), empty);
  return [result.json.toString(), result.rows];
}

describe('shapeRows', () => {
  it('does not change rows that are already an array at their path', () => {
    const json = Buffer.from('{"a": [1.0 , 2]}');
    const result = shapeRows(new JsonDocument(json), ['a'], false);
    expect(result.json).toBe(json);
    expect(result.rows).toBe(2);
  });

  it.each(['""', '" "', 'null', '{}'])('reads %s as no rows', (nothing) => {
    expect(shaped(`{"items": ${nothing}, "n":0}`, '/items')).toEqual(['{"items": [], "n":0}', 0]);
    expect(shaped(nothing, '')).toEqual(['[]', 0]);
    expect(shaped(`{"items":${nothing}}`, '/items/item')).toEqual(['{"items":{"item":[]}}', 0]);
  });

  it('puts a single row into an array without changing its digits', () => {
    const row = '{"id": 12345678901234567890, "n":1.10}';
    expect(shaped(`{"a":{"b":${row}}}`, '/a/b')).toEqual([`{"a":{"b":[${row}]}}`, 1]);
    expect(shaped(row, '')).toEqual([`[${row}]`, 1]);
    expect(shaped('{"a":"text"}', '/a')).toEqual(['{"a":["text"]}', 1]);
  });

  it('creates a missing path', () => {
    expect(shaped('{"n":1}', '/a/b')).toEqual(['{"n":1,"a":{"b":[]}}', 0]);
    expect(shaped('{"a":{"n":1}}', '/a/b')).toEqual(['{"a":{"n":1,"b":[]}}', 0]);
    expect(shaped('{"a":[]}', '/a/b')).toEqual(['{"a":{"b":[]}}', 0]);
    expect(shaped('{"dbs":""}', '/dbs/db')).toEqual(['{"dbs":{"db":[]}}', 0]);
  });

  it('does not create a path that would replace existing data', () => {
    expect(shaped('{"a":"busy"}', '/a/b')).toEqual(['{"a":"busy"}', undefined]);
    expect(shaped('{"a":[1]}', '/a/b')).toEqual(['{"a":[1]}', undefined]);
    expect(shaped('[{"message":[]}]', '/1')).toEqual(['[{"message":[]}]', undefined]);
  });

  it('moves rows between items and items.item to the path of the shape', () => {
    expect(shaped('{"items":[1,2]}', '/items/item')).toEqual(['{"items":{"item":[1,2]}}', 2]);
    expect(shaped('{"items":{"item":[1,2]}}', '/items')).toEqual(['{"items":[1,2]}', 2]);
    expect(shaped('{"items":{"item":{"a":1}}}', '/items')).toEqual(['{"items":[{"a":1}]}', 1]);
    expect(shaped('{"items":{"item":""}}', '/items')).toEqual(['{"items":[]}', 0]);
  });

  it('distinguishes a row with a field called item from such a wrapper', () => {
    expect(shaped('{"items":{"item":"SO2"}}', '/items')).toEqual(['{"items":[{"item":"SO2"}]}', 1]);
    expect(shaped('{"items":{"item":[],"n":1}}', '/items')).toEqual([
      '{"items":[{"item":[],"n":1}]}',
      1,
    ]);
  });

  it('returns no rows if the upstream reports that it has no data', () => {
    expect(shaped('{"err":"30"}', '', true)).toEqual(['[]', 0]);
    expect(shaped('{"a":{"x":1}}', '/a', true)).toEqual(['{"a":[]}', 0]);
  });

  it.each([
    ['[null,{"a":1},null]', '[{"a":1}]', 1],
    ['["",{"a":1}]', '[{"a":1}]', 1],
    ['[null]', '[]', 0],
    ['["", " "]', '[]', 0],
    ['[{}]', '[{}]', 1],
    ['[[1],null]', '[[1]]', 1],
  ])('leaves null and empty elements out of the rows %s', (sent, kept, rows) => {
    expect(shaped(`{"a":${sent}}`, '/a')).toEqual([`{"a":${kept}}`, rows]);
    expect(shaped(`{"items":${sent}}`, '/items/item')).toEqual([
      `{"items":{"item":${kept}}}`,
      rows,
    ]);
    expect(shaped(`{"items":{"item":${sent}}}`, '/items')).toEqual([`{"items":${kept}}`, rows]);
  });

  it.each(['[1,null,3]', '["a","",null]', '[{"a":1},"b",null]'])(
    'keeps every element of %s, which is a list of values',
    (list) => {
      expect(shaped(`{"a":${list}}`, '/a')).toEqual([`{"a":${list}}`, 3]);
    },
  );

  it('has an array at the path whenever it counts rows, and otherwise changes nothing', () => {
    const name = fc.constantFrom('a', 'item', '__proto__', '한');
    fc.assert(
      fc.property(
        fc.json(),
        fc.array(name, { maxLength: 3 }),
        fc.boolean(),
        (json, names, empty) => {
          const [text, rows] = shaped(json, names.map((each) => `/${each}`).join(''), empty);
          let place: unknown = JSON.parse(text);
          if (rows === undefined) {
            expect(text).toBe(json);
            return;
          }
          for (const each of names) place = Object.getOwnPropertyDescriptor(place, each)?.value;
          expect(Array.isArray(place) && place.length).toBe(rows);
        },
      ),
    );
  });
});

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
