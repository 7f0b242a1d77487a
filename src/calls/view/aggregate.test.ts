import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTool } from '../../../test/support/catalog-entries.ts';
import type { ColumnFacts } from '../../tools/model.ts';
import {
  createAggregator,
  MAX_GROUPS,
  MAX_KEPT_CHARACTERS,
  MAX_MEDIAN_VALUES,
} from './aggregate.ts';
import { type Aggregation, readAggregation } from './aggregation.ts';
import { add, compareDecimals, decimalOf, decimalText, ZERO } from './decimal.ts';
import { encodeTable, type Table, textOf } from './table.ts';

const aggregationOf = (group: readonly string[], calc: readonly string[]): Aggregation => {
  const args = {
    ...(group.length > 0 && { _group: group }),
    ...(calc.length > 0 && { _calc: calc }),
  };
  const { aggregation, issues } = readAggregation(args, { names: null, isPersonal: () => false });
  if (!aggregation || issues.length > 0) throw new Error(JSON.stringify(issues));
  return aggregation;
};

const toolWith = (columns: Record<string, Partial<ColumnFacts>>) => {
  const facts = Object.entries(columns).map(([name, known]) => [
    name,
    { title: null, unit: null, codes: null, ...known },
  ]);
  return { name: 'sky', view: { ...makeTool('sky').view, columns: Object.fromEntries(facts) } };
};

const aggregate = (
  tables: readonly Table[],
  [group, calc]: readonly [readonly string[], readonly string[]],
  tool = toolWith({}),
) => {
  const aggregator = createAggregator(aggregationOf(group, calc), tool);
  for (const table of tables) aggregator.add(table);
  return aggregator.result();
};

const DEALS: Table = {
  columns: ['region', 'date', 'price', 'grade'],
  rows: [
    ['"11110"', '"20250131"', '"82,500"', '"1"'],
    ['"11140"', '"2025-02-01"', '"90,000"', '"2"'],
    ['"11110"', '"2025.01.02"', '" 91,000.5 "', ''],
    ['"11110"', '"2025-01-31T09:00+09:00"', '""', '"2"'],
    ['11110', '"202501"', '"-"', '"1"'],
    ['"11140"', '"soon"', '1e2', '"3"'],
  ],
};

describe('groups', () => {
  it('have the figures of their rows, and say which values are left out', () => {
    const calc = [
      'count',
      'count:price',
      'sum:price',
      'mean:price',
      'median:price',
      'min:price',
      'max:price',
      'first:price',
      'last:price',
    ];
    const { rows, missing } = aggregate([DEALS], [['region'], calc]);
    expect(rows).toEqual([
      [
        '"11110"',
        '4',
        '3',
        '173500.5',
        '86750.25',
        '86750.25',
        '"82,500"',
        '" 91,000.5 "',
        '"82,500"',
        '"-"',
      ],
      ['"11140"', '2', '2', '90100', '45050', '45050', '1e2', '"90,000"', '"90,000"', '1e2'],
    ]);
    expect(missing).toEqual(['2 of 6 values of price are missing or not numbers, and left out.']);
  });

  it('are of years, months and days of dates as sources write them', () => {
    expect(aggregate([DEALS], [['month:date'], []])).toMatchObject({
      rows: [
        ['"2025-01"', '4'],
        ['"2025-02"', '1'],
        ['', '1'],
      ],
      missing: [
        '1 of 6 values of date are missing or not dates: they are the group without a month.',
      ],
    });
    expect(aggregate([DEALS], [['day:date'], []]).rows).toEqual([
      ['"2025-01-31"', '2'],
      ['"2025-02-01"', '1'],
      ['"2025-01-02"', '1'],
      ['', '2'],
    ]);
    expect(aggregate([DEALS], [['year:date'], []]).rows).toEqual([
      ['"2025"', '5'],
      ['', '1'],
    ]);
  });

  it.each([
    ['1719792000', ''],
    ['17111123', ''],
    ['2025Q1', '2025'],
    ['2025-13', ''],
    ['19991231235959', '1999'],
  ])('of the year of %j are %j', (date, year) => {
    const { rows } = aggregate([{ columns: ['date'], rows: [[`"${date}"`]] }], [['year:date'], []]);
    expect(rows.map(([cell = '']) => textOf(cell))).toEqual([year]);
  });

  it('carry the title, the unit and the codes of their columns', () => {
    const tool = toolWith({
      date: { title: 'day of the deal', unit: 'YYYYMMDD' },
      price: { title: 'price', unit: '10,000 KRW' },
      grade: { title: 'grade', codes: { 1: 'good', 2: 'bad' } },
    });
    const calc = ['count', 'count:price', 'median:price', 'max:grade'];
    expect(aggregate([DEALS], [['grade', 'month:date'], calc], tool).columns).toEqual([
      { name: 'grade', title: 'grade', unit: null, codes: { 1: 'good', 2: 'bad' } },
      { name: 'date_month', title: 'month of day of the deal', unit: null, codes: null },
      { name: 'count', title: null, unit: null, codes: null },
      { name: 'count_price', title: 'count of price', unit: null, codes: null },
      { name: 'median_price', title: 'median of price', unit: '10,000 KRW', codes: null },
      { name: 'max_grade', title: 'max of grade', unit: null, codes: { 1: 'good', 2: 'bad' } },
    ]);
  });

  it('have the least and greatest text where no value is a number', () => {
    const table = { columns: ['t'], rows: [['"b"'], ['"2025-01-31"'], ['null'], ['"2025-01-02"']] };
    expect(aggregate([table], [[], ['min:t', 'max:t']])).toMatchObject({
      rows: [['"2025-01-02"', '"b"']],
      missing: ['1 of 4 values of t are missing, and left out.'],
    });
    const mixed = { columns: ['t'], rows: [...table.rows, ['7']] };
    expect(aggregate([mixed], [[], ['min:t', 'max:t']]).rows).toEqual([['7', '7']]);
  });

  it('are one row without _group, even of no rows, and none with it', () => {
    const empty = { columns: [], rows: [] };
    expect(aggregate([empty], [[], ['count', 'sum:a', 'median:a']]).rows).toEqual([['0', '', '']]);
    expect(aggregate([empty], [['a'], ['count']]).rows).toEqual([]);
  });

  it('do not mix values with the separators of their keys', () => {
    const table = {
      columns: ['a', 'b'],
      rows: [
        ['"x\\u0000"', '"y"'],
        ['"x"', '"\\u0000y"'],
        ['"x,"', '""'],
        ['"x"', '","'],
      ],
    };
    expect(aggregate([table], [['a', 'b'], []]).rows).toHaveLength(4);
  });
});

const cells = fc.oneof(
  fc.constantFrom('', 'null', '"-"', '"1,234.5"', '9007199254740993', '"가"', 'true'),
  fc.integer().map(String),
  fc.tuple(fc.integer(), fc.nat(99)).map(([n, part]) => `"${n}.${part}"`),
);
const rowsOf = fc.array(fc.tuple(fc.constantFrom('"a"', '"b"', '', 'null', '1', '"1"'), cells), {
  maxLength: 40,
});

describe('any rows', () => {
  it('are divided into groups, whose figures are exact', () => {
    fc.assert(
      fc.property(rowsOf, (rows) => {
        const table = { columns: ['k', 'v'], rows };
        const result = aggregate([table], [['k'], ['count', 'sum:v', 'count:v']]).rows;
        expect(result.reduce((sum, row) => sum + Number(row[1]), 0)).toBe(rows.length);
        for (const [key = '', , sum = '', count] of result) {
          const own = rows
            .filter(([cell]) => textOf(cell) === textOf(key))
            .map(([, cell]) => textOf(cell));
          const numbers = own.flatMap((text) => decimalOf(text) ?? []);
          const expected = numbers.length === 0 ? '' : decimalText(numbers.reduce(add, ZERO));
          expect(textOf(sum)).toBe(expected);
          expect(count).toBe(String(own.filter((text) => text !== '').length));
        }
      }),
    );
  });

  it('have the same figures in any order, and page by page', () => {
    const calc = ['count', 'sum:v', 'mean:v', 'median:v', 'min:v', 'max:v'];
    fc.assert(
      fc.property(rowsOf, fc.nat(40), (rows, at) => {
        const columns = ['k', 'v'];
        const byKey = (tables: Table[]) => {
          const result = aggregate(tables, [['k'], calc]).rows;
          return new Map(
            result.map(([key = '', ...figures]) => [
              textOf(key),
              figures.map((cell) => decimalOf(textOf(cell)) ?? textOf(cell)),
            ]),
          );
        };
        const whole = byKey([{ columns, rows }]);
        const turned = rows.toReversed().map(([k, v]) => [v, k]);
        const pages = [
          { columns: ['v', 'k'], rows: turned.slice(0, at) },
          { columns: ['v', 'k'], rows: turned.slice(at) },
        ];
        for (const [key, figures] of byKey(pages)) {
          for (const [n, figure] of figures.entries()) {
            const other = whole.get(key)?.[n];
            if (typeof figure === 'string' || typeof other === 'string') expect(other).toBe(figure);
            else expect(other && compareDecimals(other, figure)).toBe(0);
          }
        }
        expect(byKey(pages).size).toBe(whole.size);
      }),
    );
  });
});

it('the figures of any JSON are JSON', () => {
  const any = fc.array(
    fc
      .tuple(fc.jsonValue(), fc.jsonValue())
      .map((row) => row.map((value) => JSON.stringify(value))),
  );
  const calc = ['count:v', 'sum:v', 'mean:v', 'median:v', 'min:v', 'max:v', 'first:v', 'last:v'];
  fc.assert(
    fc.property(any, fc.constantFrom('k', 'year:k', 'day:k'), (rows, key) => {
      const result = aggregate([{ columns: ['k', 'v'], rows }], [[key], calc]);
      const { columns, rows: shown } = JSON.parse(encodeTable(result).toString());
      expect(columns).toHaveLength(calc.length + 1);
      for (const row of shown) expect(row).toHaveLength(calc.length + 1);
    }),
  );
});

describe('too much', () => {
  const numbered = (count: number, cell: (n: number) => string): Table => ({
    columns: ['a'],
    rows: Array.from({ length: count }, (_, n) => [cell(n)]),
  });

  it('of groups, texts or numbers is refused with what to do', () => {
    const group = createAggregator(aggregationOf(['a'], []), toolWith({}));
    group.add(numbered(MAX_GROUPS, String));
    expect(group.result().rows).toHaveLength(MAX_GROUPS);
    expect(() => group.add(numbered(MAX_GROUPS + 1, String))).toThrow(
      'sky: /_group makes more than 10,000 groups. Group by fewer columns',
    );
    const text = (n: number) => JSON.stringify(String(n).padEnd(MAX_KEPT_CHARACTERS / 16, 'x'));
    const texts = createAggregator(aggregationOf(['a'], []), toolWith({}));
    expect(() => texts.add(numbered(9, text))).toThrow(
      'sky: /_group makes groups with too much text.',
    );
    const medians = createAggregator(aggregationOf([], ['median:a']), toolWith({}));
    medians.add(numbered(MAX_MEDIAN_VALUES, () => '1'));
    expect(medians.result().rows).toEqual([['1']]);
    expect(() => medians.add(numbered(1, () => '1'))).toThrow(
      'sky: /_calc needs more than 2,000,000 numbers for its medians.',
    );
  });

  it('never comes from the last, least or greatest values that replace others', () => {
    const long = (n: number) => JSON.stringify(String(n).padStart(1_000_000, ' '));
    const aggregator = createAggregator(aggregationOf([], ['last:a', 'max:a']), toolWith({}));
    for (let n = 0; n < 100; n++) aggregator.add(numbered(1, () => long(n)));
    expect(aggregator.result().rows[0]?.map((cell) => textOf(cell).trim())).toEqual(['99', '99']);
  });
});
