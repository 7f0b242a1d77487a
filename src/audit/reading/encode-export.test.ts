import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asStored, makeRecord } from '../../../test/support/audit-records.ts';
import { createExportSlots, csvHeading, csvRecord } from './encode-export.ts';

/** Parses CSV as RFC 4180 describes it, character by character. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (character === '"') {
      expect(cell).toBe('');
      isQuoted = true;
    } else if (character === ',') {
      row.push(cell);
      cell = '';
    } else if (character === '\r' && text[i + 1] === '\n') {
      i++;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else {
      expect(character).not.toMatch(/[\r\n]/);
      cell += character;
    }
  }
  expect({ isQuoted, row, cell }).toEqual({ isQuoted: false, row: [], cell: '' });
  return rows;
}

const hostile = fc.string({
  unit: fc.oneof(fc.constantFrom(...'=+-@\t\r\n",;\'＝＋－＠ |!'), fc.string({ maxLength: 1 })),
});

/** The cells of a record with these texts, by column. */
function cellsWith(clientName: string, errorMessage: string): Record<string, string | undefined> {
  const record = makeRecord({ clientName, error: { code: 'internal', message: errorMessage } });
  const [names = [], cells = []] = parseCsv(
    `${csvHeading().slice(1)}${csvRecord(asStored(record))}`,
  );
  expect(cells).toHaveLength(names.length);
  return Object.fromEntries(names.map((name, n) => [name, cells[n]]));
}

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

describe('a CSV export', () => {
  it('keeps every text in its cell, and has no cell that a spreadsheet would run', () => {
    fc.assert(
      fc.property(hostile, hostile, (name, message) => {
        const cells = cellsWith(name, message);
        for (const [text, cell] of [
          [name, cells['clientName']],
          [message, cells['errorMessage']],
        ]) {
          expect(cell).toBe(FORMULA.test(text ?? '') ? `'${text}` : text);
        }
      }),
    );
  });

  it('begins with a byte order mark and has one line per record, with the same columns', () => {
    expect(csvHeading().charCodeAt(0)).toBe(0xfeff);
    const record = asStored(makeRecord({ cacheStatus: null }));
    expect(cellsWith('=cmd|calc', 'a\nb')).toMatchObject({
      clientName: "'=cmd|calc",
      arguments: JSON.stringify(record.arguments),
      upstreamStatus: '200',
      errorMessage: 'a\nb',
      durationMs: '12.345',
    });
    expect(csvRecord(record)).toContain(',200,,00,');
  });
});

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('a');
  yield Buffer.from('b');
}

it('lets each tenant run two exports at once, until their iteration ends', async () => {
  const slots = createExportSlots();
  const [left, read] = [slots.run('ten_a', chunks()), slots.run('ten_a', chunks())];
  const third = () => slots.run('ten_a', chunks());
  expect(third).toThrow(/2 of these exports are running/);
  slots.run('ten_b', chunks());
  for await (const chunk of left) {
    expect(String(chunk)).toBe('a');
    break;
  }
  third();
  expect(third).toThrow();
  expect(String(Buffer.concat(await Array.fromAsync(read)))).toBe('ab');
  third();
  expect(third).toThrow();
});
