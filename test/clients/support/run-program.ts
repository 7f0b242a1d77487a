import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The output of a program and how it ended. */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The path of a file of an installed package, even if the package does not export it. */
export const installedFile = (path: string): string =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** Runs a Node.js program until it ends. Of this environment it inherits only what is needed to find programs. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  process.off('exit', kill);
  return { code, stdout, stderr };
}
