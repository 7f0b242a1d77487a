import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { instructions } from '../test/deployment/deployments.ts';
import { temporaryRoot } from '../test/support/temporary-root.ts';
import { run, startAndCall } from './release/fresh-machine.ts';
import { compareWithClone, inspectInstall } from './release/inspect-install.ts';

/**
 * Checks the ways in, as on a machine that has nothing but this Node.js and npm: a clone with `npm ci` and `npm start`,
 * and `npx` of the packed release in an empty folder. Times both until the first answer. Both, and the image, must run
 * the packages of the lock file.
 */
const { values } = parseArgs({
  options: {
    /** By how much a machine that runs all tests meanwhile, or a slow registry, may exceed the documented times. */
    patience: { type: 'string', default: '20' },
  },
});
const ROOT = resolve(import.meta.dirname, '..');
const BARS = { cloneSeconds: 60, npxSeconds: 30, installLines: 15 };
const patience = Number(values.patience);

/** Beside the files of tests, room for three installations, whose many files would wait for the disk. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;
const work = mkdtempSync(join(temporaryRoot(MIN_FREE_BYTES), 'release-'));
/** A cache of npm that is empty at first, beside what is installed: npx installs into it. */
const NEW_CACHE = { npm_config_cache: join(work, 'npm-cache') };
try {
  const release = await pack();
  const clone = await checkClone();
  await checkImage(clone);
  await checkNpx(release, clone);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function pack(): Promise<string> {
  const { stdout } = await run(ROOT, ['npm', 'pack', '--silent', '--pack-destination', work]);
  return `${stdout.trim().split('\n').at(-1)}`;
}

async function checkNpx(release: string, clone: string): Promise<void> {
  const folder = join(work, 'empty');
  mkdirSync(folder);
  const npx = ['npx', '--yes', '--loglevel=error', `../${release}`];
  const startedMs = Date.now();
  const { stderr } = await startAndCall(folder, [...npx, 'start', '--sandbox'], NEW_CACHE);
  report('npx of the packed release to the first answer', startedMs, BARS.npxSeconds);
  const warnings = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  if (warnings.length > 0) throw new Error(`It printed, beside its log:\n${warnings.join('\n')}`);

  // npx says where it has installed a package only to the commands that it runs.
  const where = ['--package', `../${release}`, '--call', 'command -v tool-gateway'];
  const command = ['npx', '--yes', '--loglevel=error', ...where];
  const { stdout } = await run(folder, command, NEW_CACHE);
  const installed = resolve(stdout.trim(), '../..');
  inspectInstall(installed, ROOT);
  compareWithClone(installed, clone);
}

async function checkClone(): Promise<string> {
  const folder = join(work, 'clone');
  const startedMs = Date.now();
  await run(work, ['git', 'clone', '--quiet', '--depth=1', `file://${ROOT}`, folder]);
  const { stdout, stderr } = await run(folder, ['npm', 'ci']);
  const output = stdout + stderr;
  const lines = output.trimEnd().split('\n').length;
  if (lines > BARS.installLines || /EBADENGINE|\bwarn\b|\berror\b/i.test(output)) {
    throw new Error(`npm ci printed ${lines} lines:\n${output}`);
  }
  await startAndCall(folder, ['npm', 'start', '--', '--sandbox']);
  report('Clone to the first answer', startedMs, BARS.cloneSeconds);
  console.log(`npm ci printed ${lines} lines.`);
  return folder;
}

/** Installs the release as the Dockerfile does. */
async function checkImage(clone: string): Promise<void> {
  const folder = join(work, 'image');
  mkdirSync(folder);
  const [install = ''] = instructions('RUN').filter((line) => line.startsWith('npm install '));
  const command = install.replace('/release/', '../');
  await run(folder, ['sh', '-c', command], NEW_CACHE);
  const nodeModules = join(folder, 'node_modules');
  compareWithClone(nodeModules, clone);
  const program = join(nodeModules, 'tool-gateway/bin/tool-gateway.mjs');
  await startAndCall(folder, [process.execPath, '--', program, 'start', '--sandbox']);
}

function report(what: string, startedMs: number, barSeconds: number): void {
  const seconds = (Date.now() - startedMs) / 1000;
  console.log(`${what}: ${seconds.toFixed(1)} s; at most ${barSeconds} s on an idle machine.`);
  if (seconds > barSeconds * patience) throw new Error('That is too long.');
}
