import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../src/platform/config/settings.ts';

const ROOT = resolve(import.meta.dirname, '..');
const rows = readFileSync(resolve(ROOT, 'docs/limits.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what is bounded'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, what = '', , setting = '', , test = '']) => ({ what, setting, test }));

const quoted = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('docs/limits.md', () => {
  test('has rows, nearly all of which name a test', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(({ test: cell }) => cell === 'none yet').length).toBeLessThan(2);
  });

  test.each(rows.filter(({ setting }) => setting))('names a setting that exists: $what', (row) => {
    expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(quoted(row.setting)));
  });

  test.each(rows.filter(({ test: cell }) => cell !== 'none yet'))(
    'names a test that exists: $what',
    ({ test: cell }) => {
      const [file = ''] = quoted(cell);
      expect(file).toMatch(/\.test\.ts$/);
      expect(existsSync(resolve(ROOT, file))).toBe(true);
    },
  );
});
