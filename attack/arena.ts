import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../test/support/gateway-process.ts';
import { ARENA_PRESET, VICTIM_PRESET } from './presets.ts';

export const MIB = 1024 * 1024;
/** What the operations guide tells to give a container. */
export const MEMORY_BYTES = 512 * MIB;
/** V8 takes half of a container's memory for its heap. */
const HEAP_MIB = 256;
export const SECRET = 'Zm9v+YmFy/cXV4IQ==secret&key9';

/** What the harmless tenant went through since it was last asked. */
export interface VictimTally {
  readonly latenciesMs: readonly number[];
  readonly auditIds: readonly string[];
  readonly failures: readonly string[];
}

/** A gateway in 512 MB with an attacking and a harmless tenant, before an upstream that does as it is asked. */
export interface Arena {
  readonly url: string;
  readonly port: number;
  readonly attackerKey: string;
  readonly victimKey: string;
  readonly upstreamUrl: string;
  readonly gateway: RunningGateway;
  /** Calls a tool as a tenant; the status and the parsed body. */
  call(tool: string, args: object, key?: string): Promise<{ status: number; body: RpcBody }>;
  get(path: string, key?: string): Promise<{ status: number; text: string }>;
  victimTally(): Promise<VictimTally>;
  rssBytes(): Promise<number>;
  /** The highest since it was last asked. */
  peakRssBytes(): number;
  isAlive(): boolean;
  close(): Promise<void>;
}

export interface RpcBody {
  // biome-ignore lint/suspicious/noExplicitAny: attacks look into answers of every shape.
  readonly result?: any;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly reason?: string };
  };
}

export interface ArenaOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly victimPerSecond?: number;
}

export async function openArena({
  env = {},
  victimPerSecond = 40,
}: ArenaOptions = {}): Promise<Arena> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-attack-'));
  const [upstream, victimUpstream] = await Promise.all([startUpstream(), startUpstream()]);
  await mkdir(join(directory, 'presets/arena'), { recursive: true });
  await writeFile(join(directory, 'presets/arena/hostile.yaml'), ARENA_PRESET(upstream.url));
  await writeFile(join(directory, 'presets/arena/victim.yaml'), VICTIM_PRESET(victimUpstream.url));
  const settings = {
    DATA_DIR: join(directory, 'data'),
    PRESETS_DIR: join(directory, 'presets'),
    MEMORY_LIMIT_BYTES: String(MEMORY_BYTES),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    ARENA_SECRET: SECRET,
    LOG_LEVEL: 'warn',
    ...env,
  };
  const gateway = await startGatewayProcess(settings, []);
  const [attackerKey, victimKey] = await Promise.all([
    newKey('attacker', settings),
    newKey('victim', settings),
  ]);
  const victim = new Worker(new URL('./victim.ts', import.meta.url), {
    workerData: { url: gateway.url, key: victimKey, perSecond: victimPerSecond },
  });
  let ended = false;
  void gateway.ended.then(() => {
    ended = true;
  });
  let peak = 0;
  const readRss = async (): Promise<number> => {
    const bytes = await rssOf(gateway.pid);
    peak = Math.max(peak, bytes);
    return bytes;
  };
  const timer = setInterval(() => void readRss(), 100);

  const post = async (body: unknown, key: string) => {
    const answer = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as RpcBody };
  };

  return {
    url: gateway.url,
    port: Number(new URL(gateway.url).port),
    attackerKey,
    victimKey,
    upstreamUrl: upstream.url,
    gateway,
    call: (tool, args, key = attackerKey) =>
      post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
        key,
      ),
    get: async (path, key = attackerKey) => {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': key } });
      return { status: answer.status, text: await answer.text() };
    },
    victimTally: async () => {
      victim.postMessage('tally');
      const [tally] = await once(victim, 'message');
      return tally as VictimTally;
    },
    rssBytes: readRss,
    peakRssBytes: () => {
      const highest = peak;
      peak = 0;
      return highest;
    },
    isAlive: () => !ended,
    close: async () => {
      clearInterval(timer);
      await victim.terminate();
      await gateway.stop();
      await Promise.all([upstream.close(), victimUpstream.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startUpstream(): Promise<{ url: string; close(): Promise<unknown> }> {
  const worker = new Worker(new URL('./hostile-upstream.ts', import.meta.url));
  const [port] = await once(worker, 'message');
  return { url: `http://127.0.0.1:${port}`, close: () => worker.terminate() };
}

async function newKey(tenant: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr } = await runGatewayCommand(['keys', 'create', '--tenant', tenant], env);
  const key = /tg_live_\w+/.exec(stdout)?.[0];
  if (!key) throw new Error(`No key was made: ${stderr}`);
  return key;
}

/** Resident memory of a process; 0 once it has gone. */
export async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
