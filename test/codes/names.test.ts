import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCodeTables } from '../../src/codes/code-tables.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const tables = createCodeTables({ dir: resolve(ROOT, 'codes') });

/** Names as people write them, with the code that each of them means. */
const cases = readFileSync(resolve(import.meta.dirname, 'names.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .map(([kind = '', text = '', code = '']) => ({ kind, text, code }));

const MIN_SHARE = 0.95;
/** A name that fits several codes may have choices, but few names do. */
const MIN_SETTLED_SHARE = 0.75;

describe('names as people write them', () => {
  test('are at least 200, of every kind', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(tables.kinds));
  });

  test('lead to the right code first', () => {
    const misses = cases
      .map((each) => ({ ...each, first: tables.find({ ...each, limit: 1 })[0]?.code }))
      .filter(({ code, first }) => code !== first);
    const share = 1 - misses.length / cases.length;
    console.log(`right code first: ${cases.length - misses.length} of ${cases.length}`, misses);
    expect(share).toBeGreaterThanOrEqual(MIN_SHARE);
  });

  test('are settled without a wrong code', () => {
    const settled = cases.flatMap(({ kind, text, code }) => {
      const resolution = tables.resolve(kind, text);
      return 'code' in resolution ? [{ kind, text, code, got: resolution.code }] : [];
    });
    console.log(`settled: ${settled.length} of ${cases.length}`);
    expect(settled.filter(({ code, got }) => code !== got)).toEqual([]);
    expect(settled.length / cases.length).toBeGreaterThanOrEqual(MIN_SETTLED_SHARE);
  });
});
