import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from '../view/table.ts';
import { encodeFile, type FileFormat } from './encode-file.ts';
import type { Row } from './pieces.ts';

async function textIn(format: FileFormat, columns: readonly string[], rows: readonly Row[]) {
  async function* batches() {
    for (let from = 0; from < rows.length; from += 2) yield rows.slice(from, from + 2);
  }
  const chunks = await Array.fromAsync(encodeFile(format, columns, batches()));
  return Buffer.concat(chunks).toString();
}

/** Reads RFC 4180, as strictly as a reader may. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (CELL.lastIndex < text.length) {
    const [, quoted, plain = '', end] = CELL.exec(text) ?? [];
    if (end === undefined) throw new Error('This is no CSV.');
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const COLUMNS = ['지역', 'amount, won', 'note'];
const ROWS: Row[] = [
  ['"서울"', '-12.50', '"a \\"b\\"\\nc"'],
  ['"=1+1"', '12345678901234567890.10', 'null'],
  ['"+82-10"', '"-1,234"', ''],
  ['"@x"', '1e-7', '{"a":\n [1, 2]}'],
];

describe('the file of an answer', () => {
  it('is CSV with a byte order mark, in which formulas are texts and numbers stay numbers', async () => {
    expect(await textIn('csv', COLUMNS, ROWS)).toBe(
      [
        '\uFEFF지역,"amount, won",note',
        '서울,-12.50,"a ""b""\nc"',
        `"'=1+1",12345678901234567890.10,`,
        `"'+82-10","-1,234",`,
        `"'@x",1e-7,"{""a"":\n [1, 2]}"`,
        '',
      ].join('\r\n'),
    );
  });

  it('is one JSON object for each row, with the numbers of the source', async () => {
    const lines = [
      '{"지역":"서울","amount, won":-12.50,"note":"a \\"b\\"\\nc"}',
      '{"지역":"=1+1","amount, won":12345678901234567890.10,"note":null}',
      '{"지역":"+82-10","amount, won":"-1,234","note":null}',
      '{"지역":"@x","amount, won":1e-7,"note":{"a":  [1, 2]}}',
    ];
    expect(await textIn('ndjson', COLUMNS, ROWS)).toBe(`${lines.join('\n')}\n`);
    expect(await textIn('json', COLUMNS, ROWS)).toBe(`[${lines.join(',\n')}]\n`);
  });

  it('is whole without rows', async () => {
    expect(await textIn('csv', ['a', '=b'], [])).toBe(`\uFEFFa,"'=b"\r\n`);
    expect(await textIn('ndjson', ['a'], [])).toBe('');
    expect(JSON.parse(await textIn('json', ['a'], []))).toEqual([]);
  });

  const table = fc
    .uniqueArray(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 })
    .chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        rows: fc.array(
          fc.array(fc.jsonValue(), { minLength: columns.length, maxLength: columns.length }),
          {
            maxLength: 7,
          },
        ),
      }),
    );

  it('has every value, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom(0, 1), async ({ columns, rows }, indent) => {
        const cells = rows.map((row) => row.map((value) => JSON.stringify(value, null, indent)));
        const objects = rows.map((row) =>
          Object.fromEntries(columns.map((name, index) => [name, row[index]])),
        );
        const expected = JSON.parse(JSON.stringify(objects));
        expect(JSON.parse(await textIn('json', columns, cells))).toEqual(expected);
        const lines = (await textIn('ndjson', columns, cells)).split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(expected);
        const csv = await textIn('csv', columns, cells);
        const [mark, ...read] = [csv.charAt(0), ...parseCsv(csv.slice(1))];
        expect(mark).toBe('\uFEFF');
        const texts = [columns, ...cells.map((row) => row.map(textOf))];
        expect(read.map((row) => row.map(withoutMark))).toEqual(
          texts.map((row) => row.map(withoutMark)),
        );
        expect(read.flat().filter(isFormula)).toEqual([]);
      }),
    );
  });
});

const isFormula = (text: string): boolean =>
  /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !Number.isFinite(Number(text.replaceAll(',', '') || 'x'));

/** Without the apostrophe before a formula. */
const withoutMark = (text: string): string =>
  /^'[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text;
