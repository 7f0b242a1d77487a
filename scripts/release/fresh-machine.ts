import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { collectOutput } from '../../test/support/collect-output.ts';
import { freePort } from '../../test/support/ports.ts';

const LIMIT_MS = 300_000;

/** What a command printed. */
interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a new user: no program of this checkout, no setting of npm or the gateway. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME, TMPDIR } = process.env;
  const path = PATH.split(delimiter).filter((dir) => !dir.includes('node_modules'));
  return { PATH: path.join(delimiter), HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}

type Environment = Readonly<Record<string, string>>;

function start(cwd: string, command: readonly string[], env: Environment) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const [stdout, stderr] = [collectOutput(child.stdout), collectOutput(child.stderr)];
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { child, ended, output: (): Output => ({ stdout: stdout(), stderr: stderr() }) };
}

/** Runs a command until it ends. Throws with its output if it fails. */
export async function run(
  cwd: string,
  command: readonly string[],
  env: Environment = {},
): Promise<Output> {
  const { child, ended, output } = start(cwd, command, env);
  const timer = setTimeout(() => stop(child, 'SIGKILL'), LIMIT_MS);
  const code = await ended;
  clearTimeout(timer);
  if (code === 0) return output();
  throw new Error(`${command.join(' ')} failed (${code}):\n${output().stdout}${output().stderr}`);
}

/** Starts a gateway with a command, waits until it has responded to a call, and stops it. */
export async function startAndCall(
  cwd: string,
  command: readonly string[],
  env: Environment = {},
): Promise<Output> {
  const [port, key] = [await freePort(), newApiKeyText()];
  const { child, ended, output } = start(cwd, command, {
    ...env,
    PORT: String(port),
    BOOTSTRAP_API_KEY: key,
  });
  const deadlineMs = Date.now() + LIMIT_MS;
  try {
    while (!(await responds(port, key))) {
      if (child.exitCode !== null || Date.now() > deadlineMs) {
        throw new Error(`${command.join(' ')} does not respond:\n${output().stderr}`);
      }
      await sleep(50);
    }
    return output();
  } finally {
    stop(child, 'SIGTERM');
    await ended;
  }
}

async function responds(port: number, key: string): Promise<boolean> {
  const call = { name: 'frankfurter_rates', arguments: { base: 'USD', quotes: 'KRW' } };
  try {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    });
    const { result } = (await response.json()) as { result?: { outcome: string } };
    return result?.outcome === 'ok';
  } catch {
    return false;
  }
}

/** Signals the processes that npm starts too: it does not wait for them. */
function stop({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
}
