import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../test/support/gateway-process.ts';
import { watchMemory } from './memory-watch.ts';
import { ARENA_PRESET, VICTIM_PRESET } from './presets.ts';

export const MIB = 1024 * 1024;
/** The container memory that the operations guide recommends. */
export const MEMORY_BYTES = 512 * MIB;
/** V8 uses half of the memory of a container for its heap. */
const HEAP_MIB = 256;
export const SECRET = 'Zm9v+YmFy/cXV4IQ==secret&key9';

/** What the harmless tenant measured since the previous tally. */
export interface VictimTally {
  readonly latenciesMs: readonly number[];
  readonly auditIds: readonly string[];
  readonly failures: readonly string[];
}

/** A gateway in 512 MB with an attacking and a harmless tenant, and an upstream that obeys its requests. */
export interface Arena {
  readonly url: string;
  readonly port: number;
  readonly attackerKey: string;
  readonly victimKey: string;
  readonly upstreamUrl: string;
  readonly gateway: RunningGateway;
  /** The settings of the gateway, for commands. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls a tool as a tenant. Returns the status and the parsed body. */
  call(tool: string, args: object, key?: string): Promise<{ status: number; body: RpcBody }>;
  get(path: string, key?: string): Promise<{ status: number; text: string }>;
  victimTally(): Promise<VictimTally>;
  rssBytes(): Promise<number>;
  /** The highest value since the previous call. */
  peakRssBytes(): number;
  isAlive(): boolean;
  close(): Promise<void>;
}

export interface RpcBody {
  // biome-ignore lint/suspicious/noExplicitAny: attacks inspect results of every shape.
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
  const settings = {
    DATA_DIR: join(directory, 'data'),
    PRESETS_DIR: await writePresets(directory, upstream.url, victimUpstream.url),
    MEMORY_LIMIT_BYTES: String(MEMORY_BYTES),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    ARENA_SECRET: SECRET,
    LOG_LEVEL: 'warn',
    // Registered APIs lead to the upstream of the arena.
    ALLOW_PRIVATE_UPSTREAMS: 'true',
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
  const memory = watchMemory(gateway.pid);

  const post = async (body: unknown, key: string) => {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as RpcBody };
  };

  return {
    url: gateway.url,
    port: Number(new URL(gateway.url).port),
    attackerKey,
    victimKey,
    upstreamUrl: upstream.url,
    gateway,
    settings,
    call: (tool, args, key = attackerKey) =>
      post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
        key,
      ),
    get: async (path, key = attackerKey) => {
      const response = await fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': key } });
      return { status: response.status, text: await response.text() };
    },
    victimTally: async () => {
      victim.postMessage('tally');
      const [tally] = await once(victim, 'message');
      return tally as VictimTally;
    },
    rssBytes: memory.rssBytes,
    peakRssBytes: memory.peakRssBytes,
    isAlive: () => !ended,
    close: async () => {
      memory.stop();
      await victim.terminate();
      await gateway.stop();
      await Promise.all([upstream.close(), victimUpstream.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Writes the presets of both tenants, and returns their directory. */
async function writePresets(
  directory: string,
  upstreamUrl: string,
  victimUpstreamUrl: string,
): Promise<string> {
  const presets = join(directory, 'presets');
  await mkdir(join(presets, 'arena'), { recursive: true });
  await writeFile(join(presets, 'arena/hostile.yaml'), ARENA_PRESET(upstreamUrl));
  await writeFile(join(presets, 'arena/victim.yaml'), VICTIM_PRESET(victimUpstreamUrl));
  return presets;
}

async function startUpstream(): Promise<{ url: string; close(): Promise<unknown> }> {
  const worker = new Worker(new URL('./hostile-upstream.ts', import.meta.url));
  const [port] = await once(worker, 'message');
  return { url: `http://127.0.0.1:${port}`, close: () => worker.terminate() };
}

/** Creates another key of a tenant, with the options of `keys create`. */
export async function newKey(
  tenant: string,
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<string> {
  const command = ['keys', 'create', '--tenant', tenant, ...options];
  const { stdout, stderr } = await runGatewayCommand(command, env);
  const key = /tg_live_\w+/.exec(stdout)?.[0];
  if (!key) throw new Error(`No key was created: ${stderr}`);
  return key;
}
