import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'vite';
import { REFERENCE_DIR, renderApiReference } from '../src/http/files/rendered-reference.ts';
import { differences, packagesOf } from './release/locked-packages.ts';

/** Compiles src/ and sandbox/ to dist/ for a release, and adds what the program reads beside its modules. */
const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const GATEWAY = join(DIST, 'src');
/** What only a checkout runs, because it needs a development dependency. */
const ONLY_CHECKOUT = 'http/files/api-reference-worker.js';

checkPackages();
rmSync(DIST, { recursive: true, force: true });
compile();
rmSync(join(GATEWAY, ONLY_CHECKOUT), { force: true });
await addApiReference();
await bundle('calls/traces/traces-worker.ts');

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

/** Rendered once, because the package that renders it and its dependencies are larger than everything else. */
async function addApiReference(): Promise<void> {
  const target = join(GATEWAY, REFERENCE_DIR);
  const { page, script } = await renderApiReference();
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'page.html'), page);
  writeFileSync(join(target, 'script.js'), script);
  copyFileSync(
    join(ROOT, 'node_modules/@scalar/fastify-api-reference/LICENSE'),
    join(target, 'LICENSE'),
  );
}

/** Replaces a module by one that contains its packages, which only operators with a collector need. */
async function bundle(module: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: ROOT,
    build: {
      ssr: join(ROOT, 'src', module),
      outDir: join(GATEWAY, dirname(module)),
      emptyOutDir: false,
      target: 'node24',
    },
    ssr: { noExternal: true },
  });
}
