import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import { JsonDocument } from './json-document.ts';
import { shapeRows } from './rows.ts';

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
