import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readCodeTable } from './code-table.ts';

const dir = mkdtempSync(join(tmpdir(), 'code-table-'));
afterAll(() => rmSync(dir, { recursive: true }));

function tableOf(text: string) {
  const path = join(dir, 'table.tsv');
  writeFileSync(path, text);
  return readCodeTable(path);
}

const TEXT =
  '# Title\n# Gaps: none\ncode\tname\tsuccessor\n007\t가\t\n10\t007\t007 11\n11\t나 007\t';

describe('readCodeTable', () => {
  test('reads the rows after the head as text', () => {
    const table = tableOf(TEXT);
    expect(table.size).toBe(3);
    expect(table.row(0)('code')).toBe('007');
    expect(table.row(2)('name')).toBe('나 007');
    expect(table.row(2)('successor')).toBe('');
  });

  test('reads lines that end with a carriage return, and a row that is cut short', () => {
    const table = tableOf('code\tname\r\n01\t가\r\n02\r\n');
    expect([table.row(0)('name'), table.row(1)('code'), table.row(1)('name')]).toEqual([
      '가',
      '02',
      '',
    ]);
  });

  test('finds rows by a whole value, or one of several in a field', () => {
    const table = tableOf(TEXT);
    expect(table.rowsWith('007', ['code'])).toEqual([0]);
    expect(table.rowsWith('007', ['code', 'successor'])).toEqual([0, 1]);
    expect(table.rowsWith('11', ['successor'])).toEqual([1]);
    expect(table.rowsWith('07', ['code'])).toEqual([]);
    expect(table.rowsWith('', ['code'])).toEqual([]);
    expect(table.rowsWith('Gaps', ['name'])).toEqual([]);
  });

  test('refuses a column that the table does not have', () => {
    expect(() => tableOf(TEXT).row(0)('lat')).toThrow('has no column lat');
  });

  test('refuses a table with too many rows', () => {
    expect(() => tableOf(`code\n${'1\n'.repeat(65_536)}`)).toThrow('more than 65535 rows');
    expect(tableOf(`code\n${'1\n'.repeat(65_535)}`).size).toBe(65_535);
  });

  test('refuses a table that is not there', () => {
    expect(() => readCodeTable(join(dir, 'none.tsv'))).toThrow('ENOENT');
  });
});
