import { describe, expect, test } from 'vitest';
import { columnsOf, findRows, readTable } from './find-rows.ts';

const NOWHERE = { items: null, itemWrapper: null };

describe('findRows', () => {
  test('reads the rows where the definition says', () => {
    const data = { response: { body: { 'a/b': [{ x: 1 }, { x: 2 }] } }, other: [{}, {}, {}] };
    const place = { items: '/response/body/a~1b', itemWrapper: null };
    expect(findRows(data, place)).toEqual([{ x: 1 }, { x: 2 }]);
  });

  test('takes rows out of their wrapper', () => {
    const place = { items: '/docs', itemWrapper: 'doc' };
    expect(findRows({ docs: [{ doc: { x: 1 } }] }, place)).toEqual([{ x: 1 }]);
  });

  test('reads a list at the root, and values that are no objects', () => {
    expect(findRows([1, { x: 2 }], { items: '', itemWrapper: null })).toEqual([
      { value: 1 },
      { x: 2 },
    ]);
  });

  test('finds nothing where the definition says nothing is', () => {
    expect(findRows({ other: [{ x: 1 }] }, { items: '/rows', itemWrapper: null })).toEqual([]);
  });

  test('finds the longest list of objects without a definition', () => {
    const data = { codes: ['a', 'b', 'c'], few: [{ x: 1 }], many: { rows: [{ y: 1 }, { y: 2 }] } };
    expect(findRows(data, NOWHERE)).toEqual([{ y: 1 }, { y: 2 }]);
  });

  test('turns parallel lists round', () => {
    const data = { units: { time: 'iso' }, hourly: { time: ['a', 'b'], temperature: [1, 2] } };
    expect(findRows(data, NOWHERE)).toEqual([
      { time: 'a', temperature: 1 },
      { time: 'b', temperature: 2 },
    ]);
  });

  test.each([null, 1, 'text', [], {}, { a: [1, 2], b: [1] }])('finds no rows in %j', (data) => {
    expect(findRows(data, NOWHERE)).toEqual([]);
  });

  test('does not read inherited members', () => {
    expect(findRows({}, { items: '/constructor/prototype', itemWrapper: null })).toEqual([]);
  });
});

test('columnsOf keeps the order in which columns appear', () => {
  expect(columnsOf([{ b: 1 }, { a: 1, b: 2 }])).toEqual(['b', 'a']);
});

describe('readTable', () => {
  test('reads the rows and the headings of a table', () => {
    const columns = [{ name: 'LAWD_CD' }, { name: 'median_price', title: 'median', unit: 'KRW' }];
    expect(readTable({ columns, rows: [['11110', 12.5]] })).toEqual({
      rows: [{ LAWD_CD: '11110', median_price: 12.5 }],
      headings: {
        LAWD_CD: { title: null, unit: null, codes: null },
        median_price: { title: 'median', unit: 'KRW', codes: null },
      },
    });
  });

  test.each([
    [null],
    [[]],
    [{ rows: [] }],
    [{ columns: ['a'], rows: [[1]] }],
    [{ columns: [{ name: 'a' }], rows: [{}] }],
  ])('finds no table in %j', (data) => {
    expect(readTable(data)).toBeNull();
  });
});
