import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../platform/kernel/error.ts';
import { MAX_SORTED_ROWS, sortRows } from './sort-rows.ts';

const column = (values: readonly string[], isDescending = false): string[] => {
  const table = { columns: ['n', 'v'], rows: values.map((value, n) => [String(n), value]) };
  return sortRows(table, [{ column: 'v', isDescending }], 'sky').rows.map(
    ([, value = '']) => value,
  );
};

describe('sorted rows', () => {
  it('have numbers as numbers, then texts by their characters, and missing values last', () => {
    const values = ['"b"', '10', '', '"1,000"', 'null', '"가"', '9', '-1.5', '"a"', '" "'];
    const order = ['-1.5', '9', '10', '"1,000"', '"a"', '"b"', '"가"'];
    expect(column(values)).toEqual([...order, '', 'null', '" "']);
    expect(column(values, true)).toEqual([...order.toReversed(), '', 'null', '" "']);
  });

  it('compare every digit', () => {
    const values = ['9007199254740993', '9007199254740992', '0.10000000000000001', '0.1'];
    expect(column(values)).toEqual(values.toReversed());
  });

  it('compare the next column where one is equal, and keep their order where all are', () => {
    const cells = fc.constantFrom('', '1', '"1.0"', '2', '"a"');
    const keys = fc.array(
      fc.record({ column: fc.constantFrom('a', 'b'), isDescending: fc.boolean() }),
      { maxLength: 2 },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(cells, cells)), keys, (pairs, sort) => {
        const table = {
          columns: ['a', 'b', 'n'],
          rows: pairs.map((pair, n) => [...pair, String(n)]),
        };
        const { rows } = sortRows(table, sort, 'sky');
        expect(rows.toSorted((a, b) => Number(a[2]) - Number(b[2]))).toEqual(table.rows);
        const rank = (cell: string) => ['1', '2', '"a"', ''].indexOf(cell === '"1.0"' ? '1' : cell);
        const expected = table.rows.toSorted((a, b) => {
          for (const { column: name, isDescending } of sort) {
            const at = table.columns.indexOf(name);
            const [x, y] = [rank(a[at] ?? ''), rank(b[at] ?? '')];
            if (x !== y) return x === 3 || y === 3 || !isDescending ? x - y : y - x;
          }
          return 0;
        });
        expect(rows).toEqual(expected);
      }),
    );
  });

  it('are refused if they are too many', () => {
    const rows = Array.from({ length: MAX_SORTED_ROWS + 1 }, () => ['1']);
    const sort = () =>
      sortRows({ columns: ['a'], rows }, [{ column: 'a', isDescending: false }], 'sky');
    expect(sort).toThrow(GatewayError);
    expect(sort).toThrow('sky: /_sort sorts at most 200,000 rows.');
  });
});
