import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PayloadShape } from '../../tools/model.ts';
import { type RowSelection, selectRows } from './select-rows.ts';

const SHAPE: PayloadShape = {
  items: '/body/rows',
  total: '/body/total',
  success: null,
  itemWrapper: null,
  columns: null,
  asOf: null,
};

const select = (
  json: string,
  selection: Partial<RowSelection>,
  shape: Partial<PayloadShape> = {},
) => {
  const result = selectRows(
    Buffer.from(json),
    { ...SHAPE, ...shape },
    { fields: null, where: new Map(), limit: null, ...selection },
  );
  return result && { ...result, json: result.json.toString() };
};

const JSON_TEXT = '{"body": {"rows": [ {"a":1.10, "b":"x"} , {"b":"y","a":2} ], "total":"7"}}';

describe('selecting rows', () => {
  it('keeps the first rows and counts the others', () => {
    expect(select(JSON_TEXT, { limit: 1 })).toEqual({
      json: '{"body": {"rows": [{"a":1.10, "b":"x"}], "total":"7"}}',
      rows: 1,
      omitted: 1,
      total: 7,
    });
  });

  it('keeps the rows that meet all conditions, and counts those beyond the limit', () => {
    const where = new Map([['a', (text: string) => Number(text) > 0]]);
    expect(select(JSON_TEXT, { where, limit: 1 })).toMatchObject({ rows: 1, omitted: 1 });
    expect(select(JSON_TEXT, { where: where.set('b', (text) => text === 'y') })?.json).toBe(
      '{"body": {"rows": [{"b":"y","a":2}], "total":"7"}}',
    );
    expect(select(JSON_TEXT, { where: where.set('c', (text) => text === '') })?.rows).toBe(1);
  });

  it('compares the member that stands for an object, and keeps the object', () => {
    const json = '{"body":{"rows":[{"a":{"id":1,"name":"x"}},{"a":{"id":2,"name":"y"}}]}}';
    const where = new Map([['a', (text: string) => text === 'y']]);
    expect(select(json, { where }, { members: { a: 'name' } })?.json).toBe(
      '{"body":{"rows":[{"a":{"id":2,"name":"y"}}]}}',
    );
  });

  it('keeps the named columns without changing their digits', () => {
    expect(select(JSON_TEXT, { fields: ['a'] })?.json).toBe(
      '{"body": {"rows": [{"a":1.10},{"a":2}], "total":"7"}}',
    );
  });

  it('selects the columns inside the wrapper of a row', () => {
    expect(
      select(
        '[{"doc":{"a":1,"b":2}},{"doc":{"b":3}}]',
        { fields: ['a'] },
        {
          items: '',
          total: null,
          itemWrapper: 'doc',
        },
      )?.json,
    ).toBe('[{"doc":{"a":1}},{"doc":{}}]');
  });

  it.each(['{"body":{}}', '{"body":{"rows":""}}', '{"error":1}'])(
    'returns null for %s, which has no rows',
    (json) => {
      expect(select(json, { limit: 1, fields: ['a'] })).toBeNull();
    },
  );

  it('has the same result as parsing, filtering and printing the rows', () => {
    const row = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'b', '한', 'c"d'), fc.jsonValue({ maxDepth: 1 })),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const fields = fc.option(fc.subarray(['a', '한', 'c"d']));
    const limit = fc.option(fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(fc.array(row), fields, limit, (rows, wanted, most) => {
        const json = JSON.stringify({ body: { rows } });
        const built: unknown[] = JSON.parse(json).body.rows;
        const isRow = (value: unknown): value is object =>
          typeof value === 'object' && value !== null && !Array.isArray(value);
        const expected = built
          .slice(0, most ?? undefined)
          .map((value) =>
            isRow(value) && wanted
              ? Object.fromEntries(Object.entries(value).filter(([name]) => wanted.includes(name)))
              : value,
          );
        const result = select(json, { fields: wanted, limit: most });
        expect(JSON.parse(result?.json ?? '')).toEqual({ body: { rows: expected } });
        expect(result?.omitted).toBe(built.length - expected.length);
      }),
    );
  });
});
