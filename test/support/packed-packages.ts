import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MANY_MODULES, packPackage } from '../../scripts/release/pack-package.ts';

const MODULES = resolve(import.meta.dirname, '../../node_modules');
const PACKED = join(MODULES, '.cache/packages');

const changedMs = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Packs packages as a release does, so that the processes under test start with half the work (`globalSetup` of the test
 * runner; `use-packed.mjs` is in their `NODE_OPTIONS`).
 */
export async function setup(): Promise<void> {
  const installedMs = changedMs(join(MODULES, '.package-lock.json'));
  for (const name of MANY_MODULES) {
    if (changedMs(join(PACKED, `${name}.js`)) <= installedMs) await packPackage(name, PACKED);
  }
}
