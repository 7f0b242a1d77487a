import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CodeHit } from '../../src/codes/code-table.ts';
import { type CodeTable, readCodeTable } from '../../src/codes/code-table.ts';
import { KINDS } from '../../src/codes/kinds/kinds.ts';
import { openKind } from '../../src/codes/open-kind.ts';
import { romanise } from '../../src/codes/search/words.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DIR = resolve(ROOT, 'codes');
const files = readdirSync(DIR).sort();
const open = (file: string): CodeTable => readCodeTable(resolve(DIR, `${file}.tsv`));
const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

const cache = new Map<string, CodeTable>();
const openOnce = (file: string): CodeTable => {
  const table = cache.get(file) ?? open(file);
  cache.set(file, table);
  return table;
};

function hitsOf(kind: keyof typeof KINDS): CodeHit[] {
  const opened = openKind(kind, openOnce, () => {
    throw new Error('names are not needed');
  });
  const rows = Array.from({ length: opened.table.size }, (_, row) => row);
  return rows.filter((row) => opened.has(row, undefined)).map(opened.show);
}

describe('the tables in codes', () => {
  test.each(files)('%s says who made it, and under which terms', (file) => {
    const text = readFileSync(resolve(DIR, file), 'utf8');
    const head = text.split('\n').filter((line) => line.startsWith('#'));
    expect(head.map((line) => line.split(':')[0]).slice(1)).toEqual([
      '# Agency',
      '# Edition',
      '# Licence',
      '# Gaps',
    ]);
    const rows = text.replace(/\n$/, '').split('\n').slice(head.length);
    const columns = rows[0]?.split('\t').length;
    expect(rows.filter((row) => row.split('\t').length !== columns)).toEqual([]);
  });

  test('are used, each by a kind', () => {
    expect(new Set(files.map((file) => file.replace('.tsv', '')))).toEqual(
      new Set(Object.values(KINDS).map(({ file }) => file)),
    );
  });

  test.each(['NOTICE', 'docs/codes.md'])('are all named in %s', (page) => {
    const text = readFileSync(resolve(ROOT, page), 'utf8');
    expect(files.filter((file) => !text.includes(file))).toEqual([]);
  });

  test('have their kinds explained in docs/codes.md', () => {
    const text = readFileSync(resolve(ROOT, 'docs/codes.md'), 'utf8');
    expect(kinds.filter((kind) => !text.includes(`\`${kind}\``))).toEqual([]);
  });

  test.each(kinds)('have rows of kind %s with a code, a name and no broken number', (kind) => {
    const hits = hitsOf(kind);
    expect(hits.length).toBeGreaterThan(9);
    expect(hits.filter(({ code, name }) => code === '' || name === '')).toEqual([]);
    expect(hits.filter((hit) => Object.values(hit).some(Number.isNaN))).toEqual([]);
    const { codePattern } = KINDS[kind];
    expect(hits.filter(({ code }) => !codePattern.test(code))).toEqual([]);
  });

  test('have the names that the Revised Romanisation gives', () => {
    const letters = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
    const differences = hitsOf('tide_station').filter(
      ({ name, romanised = '' }) => letters(romanise(name)) !== letters(romanised),
    );
    expect(differences.map(({ name }) => name)).toEqual([]);
  });
});
