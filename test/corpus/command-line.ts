import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectOutput } from '../support/collect-output.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

const WORKER = new URL('./command-worker.ts', import.meta.url);

export interface CommandLine {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The output of a command, and its exit code. */
export interface CommandEnding {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs gateway commands. Of this process's environment they inherit only what is needed to find programs. */
export interface CommandLines {
  run(line: CommandLine): Promise<CommandEnding>;
  close(): void;
}

const CLEAN = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

export function createCommandLines(): CommandLines {
  let worker: ChildProcess | undefined;
  return {
    run: async (line) => {
      worker ??= fork(fileURLToPath(WORKER), { cwd: ROOT, env: CLEAN, execArgv: [], silent: true });
      worker.send(line);
      const [ending] = await once(worker, 'message');
      return ending;
    },
    close: () => void worker?.kill(),
  };
}

/** Runs a command that reads standard input in a separate process. */
export async function runWithInput(
  { args, env }: CommandLine,
  input: string,
): Promise<CommandEnding> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/tool-gateway.mjs'), ...args], {
    cwd: ROOT,
    env: { ...CLEAN, ...env },
    stdio: 'pipe',
  });
  const stdout = collectOutput(child.stdout);
  const stderr = collectOutput(child.stderr);
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}
