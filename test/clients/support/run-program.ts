import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The output of a program and how it ended. */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The path of a file of an installed package, even if the package does not export it. */
export const installedFile = (path: string): string =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** Some programs are run a hundred times. */
const NODE_COMPILE_CACHE = installedFile('.cache/node');

/** Runs a Node.js program until it ends. */
export const runProgram = (args: readonly string[], env: Environment = {}, cwd?: string) =>
  runCommand([process.execPath, ...args], { NODE_COMPILE_CACHE, ...env }, cwd);

/** A program that hangs is killed before the time limit of its test, which then shows its output. */
const LIMIT_MS = 150_000;

/** Runs a command until it ends. Of this environment it inherits only what is needed to find programs. */
export async function runCommand(
  [command = '', ...args]: readonly string[],
  env: Environment = {},
  cwd?: string,
): Promise<ProgramResult> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  running.delete(child);
  return { code, stdout, stderr };
}
