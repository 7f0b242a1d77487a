import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { collectOutput } from './collect-output.ts';
import { sandboxedPresets } from './sandboxed-presets.ts';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The file that npm start runs, so that tests of the process include the launcher. */
const MAIN = resolve(ROOT, 'bin/tool-gateway.mjs');

/** Shared, because every test has a new DATA_DIR: compiling everything again would cost each process half a second. */
const CODE_CACHE = resolve(ROOT, 'node_modules/.cache/gateway');
/** Benchmarks and attacks, which this file serves too, hash at full cost. */
const PRELOADED = ['use-packed.mjs', ...(process.env['VITEST'] ? ['cheap-passwords.mjs'] : [])];
const PRELOAD = PRELOADED.map((file) => `--import=${new URL(file, import.meta.url)}`).join(' ');

/** A launcher that runs a program on a terminal. */
export const ON_TERMINAL = ['sh', '-c', 'exec script -qefc "$*" /dev/null', 'sh'];

export type Environment = Readonly<Record<string, string>>;

/** How a process ended. */
export interface Ending {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The gateway as an operating system process, as an operator runs it. */
export interface GatewayProcess {
  readonly pid: number;
  /** Its output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ending>;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and resolves with how it ended; kills it if it does not end in time. */
  stop(): Promise<Ending>;
}

/** A gateway process that accepts connections. */
export interface RunningGateway extends GatewayProcess {
  readonly url: string;
  /** Null without the sandbox. */
  readonly sandboxUrl: string | null;
  /** The key that this start created, or the one it was given. */
  readonly key: string;
  /** Calls a tool; resolves with the JSON-RPC response. */
  call(name: string, args?: object, key?: string): Promise<RpcResponse>;
}

/** A JSON-RPC response, with the members that tests of the process read. */
export interface RpcResponse {
  readonly result?: { readonly auditId: string; readonly cacheStatus: string };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
// The test runner ends a worker with a hanging test this way.
process.once('SIGTERM', () => process.exit(143));

/**
 * Runs a gateway command. Of this process's environment it inherits only what is needed to find programs. A launcher
 * is a command that replaces itself with the next one, such as `prlimit`. Standard input is empty by default.
 */
export function spawnGateway(
  args: readonly string[],
  env: Environment,
  launcher: readonly string[] = [],
  input?: string,
): GatewayProcess {
  const [command = '', ...rest] = [...launcher, process.execPath, MAIN, ...args];
  const child = spawn(command, rest, {
    env: cleanEnvironment(env),
    stdio: 'pipe',
  });
  // A process may end without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  children.add(child);
  const stdout = collectOutput(child.stdout);
  const stderr = collectOutput(child.stderr);
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    children.delete(child);
    return { code, signal };
  });
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    kill: (signal) => child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      const ending = await ended;
      clearTimeout(timer);
      return ending;
    },
  };
}

/** The environment of a command: of this process's, only what is needed to find programs. */
export function cleanEnvironment(env: Environment): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  const own = { NODE_COMPILE_CACHE: CODE_CACHE, NODE_OPTIONS: PRELOAD };
  return { PATH, HOME, ...own, ...(TMPDIR ? { TMPDIR } : {}), ...env };
}

/**
 * Starts a gateway on a free port and waits until it says that it is ready. If it ends instead, throws an error with its
 * output. By default, its upstreams are the sandbox.
 */
export async function startGatewayProcess(
  env: Environment,
  args?: readonly string[],
  launcher?: readonly string[],
): Promise<RunningGateway> {
  const isShared = env['DATABASE_URL'] !== undefined;
  const upstreams = isShared && !args ? await sandboxedPresets(env['PRESETS_DIR']) : null;
  const options = args ?? (isShared ? [] : ['--sandbox']);
  const gateway = spawnGateway(
    ['start', ...options],
    {
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      DRAIN_NOTICE_MS: '300',
      ...env,
      ...upstreams?.env,
    },
    launcher,
  );
  void gateway.ended.then(() => upstreams?.close());
  let hasEnded = false;
  void gateway.ended.then(() => {
    hasEnded = true;
  });
  await until(() => hasEnded || readStart(gateway.stdout()) !== null);
  const started = readStart(gateway.stdout());
  if (!started) {
    throw new Error(`The gateway did not start:\n${gateway.stdout()}${gateway.stderr()}`);
  }
  const { url } = started;
  const key = env['BOOTSTRAP_API_KEY'] ?? started.key;
  return {
    ...gateway,
    url,
    sandboxUrl: upstreams?.sandboxUrl ?? started.sandboxUrl,
    key,
    call: async (name, args = {}, as = key) => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'x-api-key': as, 'content-type': 'application/json' },
        body: encodeCall(name, args),
      });
      return (await response.json()) as RpcResponse;
    },
  };
}

/** What a start prints once it is ready. */
export interface PrintedStart {
  readonly url: string;
  readonly sandboxUrl: string | null;
  /** The key that a terminal shows, or that is in the file which the line names; empty if this start created none. */
  readonly key: string;
}

/** Null before the gateway is ready. */
export function readStart(output: string): PrintedStart | null {
  const text = stripVTControlCharacters(output);
  const [, url] = /(?:is ready at|Gateway) +(http\S+)(?: in .*\n|.*A first call)/s.exec(text) ?? [];
  if (!url) return null;
  const [, path] = /; API key in ([^\s;]+)/.exec(text) ?? [];
  return {
    url,
    sandboxUrl: /sandbox +(http[^\s;]+)/i.exec(text)?.[1] ?? null,
    key: path ? readFileSync(path, 'utf8').trim() : (/tg_live_\w+/.exec(text)?.[0] ?? ''),
  };
}

/** The body of a `tools/call`. */
export const encodeCall = (name: string, args: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });

/** Makes the sandbox of a gateway inject a fault into the next call. */
export async function planFault(gateway: RunningGateway, fault: string): Promise<void> {
  await fetch(`${gateway.sandboxUrl}/_sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify({ fault }),
  });
}

/** The output of a command and how it ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it ends. */
export async function runGatewayCommand(
  args: readonly string[],
  env: Environment,
  input?: string,
): Promise<CommandResult> {
  const command = spawnGateway(args, env, [], input);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}
