import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { StartupError } from './error.ts';
import { assertShipped, PACKAGE_ROOT } from './shipped-files.ts';

test('names the first file that is missing, and what to do', () => {
  const paths = ['package.json', 'codes/kma-grid.tsv', 'codes/no-such-table.tsv', 'gone.txt'];
  expect(() => assertShipped(paths)).toThrow(StartupError);
  expect(() => assertShipped(paths)).toThrow(
    `${join(PACKAGE_ROOT, 'codes/no-such-table.tsv')} is missing`,
  );
  expect(() => assertShipped(paths.slice(0, 2))).not.toThrow();
});

test('nothing that is shipped lies in the default data directory', () => {
  expect(manifest.files.filter((path) => /^data(\/|$)/.test(path))).toEqual([]);
});
