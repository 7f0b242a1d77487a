import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { COMMIT_FILE, commitOfCheckout } from '../src/platform/kernel/version.ts';
import { differences, packagesOf } from './release/locked-packages.ts';
import { bundle, MANY_MODULES, packPackage } from './release/pack-package.ts';

/** Compiles src/ and sandbox/ to dist/ for a release, and adds what the program reads beside its modules. */
const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const GATEWAY = join(DIST, 'src');
const PACKED = join(DIST, 'packages');

checkPackages();
rmSync(DIST, { recursive: true, force: true });
compile();
await bundle(join(ROOT, 'src/calls/traces/traces-worker.ts'), join(GATEWAY, 'calls/traces'));
for (const name of MANY_MODULES) await packPackage(name, PACKED);
usePacked();
nameCommit();

/** A release contains the packages of this checkout. */
function checkPackages(): void {
  const installed = packagesOf(join(ROOT, 'node_modules/.package-lock.json'));
  const issues = differences(installed, packagesOf(join(ROOT, 'package-lock.json')));
  if (issues.length === 0) return;
  throw new Error(`${issues.join('\n')}\nRun "npm ci", then build again.`);
}

function compile(): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json'];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

/** A release has no git to ask. */
function nameCommit(): void {
  const commit = commitOfCheckout();
  if (commit) writeFileSync(COMMIT_FILE, `${commit}\n`);
}

/** Lets the compiled modules import the packed packages. */
function usePacked(): void {
  for (const tree of ['src', 'sandbox']) {
    for (const path of readdirSync(join(DIST, tree), { recursive: true, encoding: 'utf8' })) {
      const file = join(DIST, tree, path);
      if (!file.endsWith('.js')) continue;
      const code = readFileSync(file, 'utf8');
      const packed = MANY_MODULES.reduce((text, name) => {
        const module = relative(dirname(file), join(PACKED, `${name}.js`)).replaceAll('\\', '/');
        return text.replaceAll(`from '${name}'`, `from '${module}'`);
      }, code);
      if (packed !== code) writeFileSync(file, packed);
    }
  }
}
