import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { newEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { auditIdOf, auditIdsOf } from './audit-ids.ts';
import { fixturePreset, startFixtureUpstream, type UpstreamHandler } from './fixture-upstream.ts';
import { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts';
import {
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from './gateway-process.ts';
import { type OwnServer, ownPostgres, ownRedis } from './own-servers.ts';
import { openSse, type SseClient } from './sse-client.ts';
import { makeOwnDir } from './temporary-dir.ts';
import { until } from './until.ts';

/** One gateway with its own ways to the servers. */
export interface ChaosReplica {
  gateway: RunningGateway;
  readonly toPostgres: FlakyProxy;
  readonly toRedis: FlakyProxy;
  /** Starts it again with the same directory. */
  restart(): Promise<void>;
}

export interface ArenaOptions {
  /** Starts another version of the gateway first; a restart uses this one. */
  readonly launcher?: readonly string[];
  /** Further settings of both replicas. */
  readonly settings?: Environment;
  /** What their upstream responds. */
  readonly answer?: UpstreamHandler;
  /** Without proxies between replicas and servers, which a busy process would delay. */
  readonly isDirect?: boolean;
}

/** Two replicas behind a balancer, with servers of their own. */
export interface ChaosArena {
  readonly replicas: readonly [ChaosReplica, ChaosReplica];
  readonly postgres: OwnServer;
  readonly redis: OwnServer;
  /** Keys of two tenants, "default" and "other". */
  readonly keys: readonly [string, string];
  readonly upstreamUrl: string;
  /** Creates another key. Resolves with its text. */
  createKey(...options: string[]): Promise<string>;
  /** Runs SQL on PostgreSQL, past the proxies. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Calls without pause while `act` runs, and reports what was lost, doubled, foreign and failed. */
  under(act: () => Promise<void>): Promise<ChaosReport>;
  close(): Promise<void>;
}

export interface ChaosReport {
  readonly answered: number;
  /** Answered calls without a record. */
  readonly lost: number;
  /** Records or events that came twice. */
  readonly doubled: number;
  /** Events that reached a stream of another tenant. */
  readonly foreign: number;
  /** Calls without a response of the gateway. */
  readonly failed: number;
  readonly slowestMs: number;
}

const CALLERS = 8;
/** A load balancer asks this often whether a gateway serves. */
const PROBE_MS = 250;
/** A caller gives up. */
const PATIENCE_MS = 30_000;

/** Every tenth response is late, and every fifteenth an error. */
function answerUnevenly(): UpstreamHandler {
  let asked = 0;
  return (_request, response) => {
    const number = ++asked;
    response.statusCode = number % 15 === 0 ? 503 : 200;
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end(`{"n":${number}}`), number % 10 === 0 ? 300 : 2);
  };
}

export async function openChaosArena({
  launcher = [],
  settings = {},
  answer = answerUnevenly(),
  isDirect = false,
}: ArenaOptions = {}): Promise<ChaosArena> {
  const [postgres, redis] = [await ownPostgres(), await ownRedis()];
  await Promise.all([postgres.start(), redis.start()]);
  const upstream = await startFixtureUpstream();
  upstream.answer(answer);
  const { dir: root, remove: removeRoot } = await makeOwnDir();
  const shared = {
    REDIS_KEY_PREFIX: `chaos:${randomUUID()}:`,
    ENCRYPTION_KEY: newEncryptionKey().reveal(),
    BOOTSTRAP_API_KEY: newApiKeyText(),
    PRESETS_DIR: await writePresets(root, upstream.url),
    FIXTURE_TOKEN: 'fixture-token',
    LOG_LEVEL: 'error',
    DRAIN_NOTICE_MS: '1500',
    ...settings,
  };
  const openReplica = (name: string): Promise<ChaosReplica> => {
    const env = { ...shared, DATA_DIR: join(root, name) };
    return startReplica({ env, postgres, redis, launcher, isDirect });
  };
  const replicas = [await openReplica('first'), await openReplica('second')] as const;
  const createKey = async (...options: string[]): Promise<string> => {
    const env = { ...shared, DATA_DIR: root, DATABASE_URL: postgres.url };
    const { code, stdout, stderr } = await runGatewayCommand(['keys', 'create', ...options], env);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const keys = [shared.BOOTSTRAP_API_KEY, await createKey('--tenant', 'other')] as const;
  const balancer = await openBalancer(replicas);
  const query = queryOn(postgres.url);
  return {
    replicas,
    postgres,
    redis,
    keys,
    upstreamUrl: upstream.url,
    createKey,
    query,
    under: (act) => measure({ replicas, balancer, query, keys }, act),
    close: async () => {
      balancer.close();
      for (const { gateway, toPostgres, toRedis } of replicas) {
        await gateway.stop();
        await Promise.all([toPostgres.close(), toRedis.close()]);
      }
      await upstream.close();
      await Promise.all([postgres.remove(), redis.remove()]);
      await removeRoot();
    },
  };
}

async function writePresets(root: string, upstreamUrl: string): Promise<string> {
  await mkdir(join(root, 'presets/fixture'), { recursive: true });
  const preset = fixturePreset.replace('http://fixture.invalid', upstreamUrl);
  await writeFile(join(root, 'presets/fixture/fixture.yaml'), preset);
  return join(root, 'presets');
}

interface ReplicaOptions extends Required<Pick<ArenaOptions, 'launcher' | 'isDirect'>> {
  readonly env: Environment;
  readonly postgres: OwnServer;
  readonly redis: OwnServer;
}

async function startReplica(options: ReplicaOptions): Promise<ChaosReplica> {
  const { postgres, redis, launcher, isDirect } = options;
  const [toPostgres, toRedis] = await Promise.all([proxyTo(postgres), proxyTo(redis)]);
  const env = {
    ...options.env,
    DATABASE_URL: isDirect ? postgres.url : through(postgres, toPostgres),
    REDIS_URL: isDirect ? redis.url : through(redis, toRedis),
  };
  const replica: ChaosReplica = {
    gateway: await startGatewayProcess(env, [], launcher),
    toPostgres,
    toRedis,
    restart: async () => {
      replica.gateway = await startGatewayProcess(env, []);
    },
  };
  return replica;
}

const queryOn =
  (url: string): ChaosArena['query'] =>
  async (text, values = []) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };

function proxyTo(server: OwnServer): Promise<FlakyProxy> {
  const { hostname, port } = new URL(server.url);
  return startFlakyProxy({ host: hostname, port: Number(port) });
}

function through(server: OwnServer, proxy: FlakyProxy): string {
  const url = new URL(server.url);
  url.port = String(proxy.port);
  return url.href;
}

interface Balancer {
  readonly url: string;
  close(): void;
}

/** Passes each request to the next replica that serves. It never sends one twice. */
async function openBalancer(replicas: ChaosArena['replicas']): Promise<Balancer> {
  const serving = new Set<ChaosReplica>();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let turn = 0;
  const probe = async (replica: ChaosReplica): Promise<void> => {
    const signal = AbortSignal.timeout(1000);
    const isServing = await fetch(`${replica.gateway.url}/health/serving`, { signal }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (isServing) serving.add(replica);
    else serving.delete(replica);
  };
  await Promise.all(replicas.map(probe));
  const timer = setInterval(() => void Promise.all(replicas.map(probe)), PROBE_MS);
  const server: Server = createServer((incoming, outgoing) => {
    const choice = [...serving];
    const replica = choice[turn++ % choice.length] ?? replicas[turn % 2];
    const { headers, method, url } = incoming;
    const passed = request(
      `${replica?.gateway.url}${url}`,
      { method, headers, agent },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502);
        response.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

interface Measured extends Pick<ChaosArena, 'replicas' | 'query'> {
  readonly balancer: Balancer;
  /** Keys of two tenants. */
  readonly keys: readonly [string, string];
}

async function measure(
  { replicas, balancer, query, keys }: Measured,
  act: () => Promise<void>,
): Promise<ChaosReport> {
  const answered = keys.map((): string[] => []);
  let failed = 0;
  let slowestMs = 0;
  let isOver = false;
  const call = async (tenant: number): Promise<void> => {
    const startedMs = performance.now();
    try {
      const name = Math.random() < 0.3 ? 'fixture_uncached' : 'fixture_cached';
      const n = 1 + Math.floor(Math.random() * 500);
      const params = { name, arguments: name === 'fixture_cached' ? { n } : {} };
      const response = await fetch(`${balancer.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': keys[tenant] ?? '' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const id = auditIdOf(await response.json());
      if (id) answered[tenant]?.push(id);
    } catch {
      failed++;
    }
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  };
  const caller = async (tenant: number): Promise<void> => {
    while (!isOver) await call(tenant);
  };
  const streams = await openStreams(replicas, keys);
  const callers = Array.from({ length: CALLERS }, (_, n) => caller(n % keys.length));
  await sleep(500);
  await act();
  await sleep(1000);
  isOver = true;
  await Promise.all(callers);
  const ids = answered.flat();
  const lost = await countLost(query, ids);
  const events = streams.map(({ stream, tenant }) => ({ seen: auditIdsOf(stream), tenant }));
  for (const { stream } of streams) stream.close();
  const own = answered.map((list) => new Set(list));
  return {
    answered: ids.length,
    lost,
    doubled: events.reduce((sum, { seen }) => sum + seen.length - new Set(seen).size, 0),
    foreign: events.reduce(
      (sum, { seen, tenant }) => sum + seen.filter((id) => own[1 - tenant]?.has(id)).length,
      0,
    ),
    failed,
    slowestMs: Math.round(slowestMs),
  };
}

/** A stream of each tenant on each replica. */
async function openStreams(replicas: ChaosArena['replicas'], keys: readonly string[]) {
  const streams: { stream: SseClient; tenant: number }[] = [];
  for (const { gateway } of replicas) {
    for (const [tenant, key] of keys.entries()) {
      streams.push({ stream: await openSse(gateway.url, key), tenant });
    }
  }
  return streams;
}

/** How many of the calls have no record once everything has been shipped. `audit_id` is unique in PostgreSQL. */
async function countLost(query: ChaosArena['query'], ids: readonly string[]): Promise<number> {
  const missing = async (): Promise<number> => {
    const sql = 'select count(*)::int as n from audit_records where audit_id = any($1)';
    const [row] = await query(sql, [ids]);
    return ids.length - Number(row?.['n']);
  };
  const endMs = performance.now() + 30_000;
  await until(async () => performance.now() > endMs || (await missing()) === 0);
  return missing();
}
