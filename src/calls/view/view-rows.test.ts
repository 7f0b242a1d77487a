import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTool } from '../../../test/support/catalog-entries.ts';
import type { RowView, Tool } from '../../tools/model.ts';
import { encodeTable, textOf } from './table.ts';
import { type RowChoice, viewRows } from './view-rows.ts';
import { whereOf } from './where.ts';

const tool = (view: Partial<RowView> = {}, payload: Partial<Tool['payload']> = {}): Tool => {
  const made = makeTool('sky');
  return {
    ...made,
    payload: { ...made.payload, items: '/rows', ...payload },
    view: { ...made.view, ...view },
  };
};

const view = (
  rows: readonly unknown[],
  shown: Tool,
  { where, ...choice }: Partial<Omit<RowChoice, 'where'>> & { where?: object } = {},
) => {
  const all = { fields: null, limit: null, where: whereOf(where), ...choice };
  const table = viewRows(Buffer.from(JSON.stringify({ rows })), shown, all);
  return (
    table && {
      columns: table.columns.map(({ name }) => name),
      rows: table.rows.map((row) => row.map(textOf)),
      matching: table.matching,
    }
  );
};

const FORECAST = ['0900', '1000', '1100'].flatMap((time, hour) => [
  { day: '1', time, category: 'TMP', value: `${10 + hour}`, nx: 60 },
  { day: '1', time, category: 'SKY', value: hour === 0 ? '1' : '4', nx: 60 },
]);
const PIVOT = { rows: ['day', 'time'], category: 'category', value: 'value' };
const SKY = { title: null, unit: null, codes: { 1: 'clear', 4: 'overcast' } };

describe('the view of rows', () => {
  it('has every column in the order of its appearance, and blanks where a row has none', () => {
    expect(view([{ a: 1 }, { b: null, a: 'x' }, 7], tool())).toEqual({
      columns: ['a', 'b', 'value'],
      rows: [
        ['1', '', ''],
        ['x', '', ''],
        ['', '', '7'],
      ],
      matching: 3,
    });
  });

  it('has blanks for the numbers that stand for no value, before a pivot and without', () => {
    const missing = { value: { from: 900, to: -900 } };
    const values = ['899.9', '900', '-900.0', '-899', '998.9', '900mm 이상', '', '12'];
    const rows = values.map((value, n) => ({ day: '1', time: `${n}`, category: 'TMP', value }));
    const shown = ['899.9', '', '', '-899', '', '900mm 이상', '', '12'];
    const plain = view(rows, tool({ missing }), { fields: ['value'] });
    expect(plain?.rows.flat()).toEqual(shown);
    const pivoted = view(rows, tool({ missing, pivot: PIVOT }), { fields: ['TMP'] });
    expect(pivoted?.rows.flat()).toEqual(shown);
    expect(view([{ value: -999, other: -999 }], tool({ missing }))?.rows).toEqual([['', '-999']]);
    expect(view(rows, tool({ missing }), { where: { value: { from: '13' } } })?.matching).toBe(2);
  });

  it('has the concise columns in their order, and those that are chosen instead', () => {
    const rows = [{ a: 1, b: 2, c: 3 }];
    const concise = tool({ concise: ['c', 'a'] });
    expect(view(rows, concise)).toMatchObject({ columns: ['c', 'a'], rows: [['3', '1']] });
    expect(view(rows, concise, { fields: ['b'] })?.columns).toEqual(['b']);
    expect(view(rows, concise, { fields: ['*'] })?.columns).toEqual(['a', 'b', 'c']);
    expect(view([{ d: 4 }], concise)?.columns).toEqual([]);
  });

  it('puts the quantities of one time together', () => {
    expect(view(FORECAST, tool({ pivot: PIVOT }))).toEqual({
      columns: ['day', 'time', 'TMP', 'SKY'],
      rows: [
        ['1', '0900', '10', '1'],
        ['1', '1000', '11', '4'],
        ['1', '1100', '12', '4'],
      ],
      matching: 3,
    });
  });

  it('leaves rows as they are if the raw columns are chosen', () => {
    const { columns, matching } = view(FORECAST, tool({ pivot: PIVOT }), {
      fields: ['time', 'category', 'value'],
    }) ?? { columns: [], matching: 0 };
    expect([columns, matching]).toEqual([['time', 'category', 'value'], 6]);
  });

  it.each<[object, string[]]>([
    [{ time: '0900' }, ['0900']],
    [{ time: ['0900', '1100'] }, ['0900', '1100']],
    [{ TMP: { from: 11 } }, ['1000', '1100']],
    [{ SKY: 'overcast', TMP: { to: 11 } }, ['1000']],
    [{ SKY: 1 }, ['0900']],
    [{ TMP: null }, []],
  ])('filters by columns of the payload and of the pivot: %j', (where, times) => {
    const shown = tool({ pivot: PIVOT, columns: { SKY } });
    const table = view(FORECAST, shown, { where, fields: ['time'] });
    expect(table?.rows.flat()).toEqual(times);
  });

  it('limits the rows, and says how many match', () => {
    expect(view(FORECAST, tool({ pivot: PIVOT }), { limit: 1 })).toMatchObject({
      rows: [['1', '0900', '10', '1']],
      matching: 3,
    });
  });

  it('reads the rows inside a wrapper, and none without an array', () => {
    expect(view([{ doc: { a: 1 } }], tool({}, { itemWrapper: 'doc' }))?.rows).toEqual([['1']]);
    expect(
      viewRows(Buffer.from('{}'), tool(), { fields: null, where: whereOf({}), limit: null }),
    ).toBeNull();
  });

  it('shows a member of an object, and of each object of a list', () => {
    const rows = [
      { country: { id: 'KR', value: 'Korea' }, people: [{ name: 'Kim' }, { name: 'Lee' }] },
      { country: { id: 'JP' }, people: [] },
      { country: 'France', people: ['Monet', { name: 3 }, {}, { name: null }] },
    ];
    const shown = tool({}, { members: { country: 'value', people: 'name' } });
    expect(view(rows, shown)?.rows).toEqual([
      ['Korea', 'Kim, Lee'],
      ['', ''],
      ['France', 'Monet, 3'],
    ]);
    expect(view(rows, shown, { where: { country: 'Korea' } })?.matching).toBe(1);
  });

  it('distinguishes columns whose names are written alike', () => {
    const json = Buffer.from(String.raw`{"rows":[{"a\\n":1},{"a\n":2},{"a\u005cn":3},{"b":4}]}`);
    const table = viewRows(json, tool(), { fields: null, where: whereOf({}), limit: null });
    expect(table?.columns.map(({ name }) => name)).toEqual(['a\\n', 'a\n', 'b']);
    expect(table?.rows.map((row) => row.join())).toEqual(['1,,', ',2,', '3,,', ',,4']);
  });

  it('takes neither a column nor a code for what every object has', () => {
    const json = Buffer.from('{"rows":[{"constructor":"toString","sky":"toString"}]}');
    const shown = tool({ columns: { sky: SKY } });
    const table = viewRows(json, shown, { fields: null, where: whereOf({}), limit: null });
    expect(table?.columns[0]).toEqual({
      name: 'constructor',
      title: null,
      unit: null,
      codes: null,
    });
    expect(JSON.parse(encodeTable(table ?? { columns: [], rows: [] }).toString()).rows).toEqual([
      ['toString', 'toString'],
    ]);
    expect(view([{ sky: 'toString' }], shown, { where: { sky: 'clear' } })?.matching).toBe(0);
  });

  it('keeps every digit of every value', () => {
    const json = Buffer.from('{"rows":[{"n":12345678901234567890.10}]}');
    const table = viewRows(json, tool(), { fields: null, where: whereOf({}), limit: null });
    expect(table?.rows).toEqual([['12345678901234567890.10']]);
  });

  it('has as many cells in each row as there are columns, whatever the rows are', () => {
    const rows = fc.array(
      fc.oneof(
        fc.dictionary(fc.constantFrom('a', 'b', 'day', 'category', 'value'), fc.jsonValue()),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(rows, fc.boolean(), (some, pivoted) => {
        const table = view(some, tool({ pivot: pivoted ? { ...PIVOT, rows: ['day'] } : null }));
        for (const row of table?.rows ?? []) expect(row).toHaveLength(table?.columns.length ?? 0);
      }),
    );
  });
});
