import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { postgres, type TestPlace } from '../support/databases.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import {
  type Environment,
  encodeCall,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { freePort } from '../support/ports.ts';
import { testRedisUrl } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { temporaryDir } from './temporary.ts';

describe.runIf(postgres && testRedisUrl)('two workers', () => {
  test('serve one port, and their metrics add up', async () => {
    const metricsPort = await freePort();
    const gateway = await startWorkers({
      ...(await environment()),
      METRICS_PORT: `${metricsPort}`,
    });
    expect(gateway.stdout().match(/ is ready at .*; 2 workers;/g)).toHaveLength(1);
    const responders = new Set<number>();
    let calls = 0;
    await until(async () => {
      await callOnce(gateway);
      calls++;
      responders.add((await detailsOf(gateway)).workers.respondedBy);
      return responders.size === 2 && calls >= 10;
    });
    expect((await detailsOf(gateway)).workers.total).toBe(2);
    const metrics = await metricsAt(metricsPort);
    expect(sumOf(metrics, 'tool_gateway_calls_total')).toBe(calls);
    expect(sumOf(metrics, 'tool_gateway_call_duration_seconds_count')).toBe(calls);
    expect(metrics).toMatch(/tool_gateway_build_info\{version="[^"]+"\} 1\n/);
    // On a busy machine, a check may take so long that it counts as failed.
    const isUp = 'tool_gateway_dependency_up{dependency="redis",backend="redis"} 1';
    await until(async () => (await metricsAt(metricsPort)).includes(isUp));
  });

  test('continue when one is killed, which is started again, and ship its records', async () => {
    const metricsPort = await freePort();
    const env = { ...(await environment()), METRICS_PORT: `${metricsPort}` };
    const gateway = await startWorkers(env);
    const load = startLoad(gateway, 16);
    await until(() => load.answered.length > 200);
    const counted = sumOf(await metricsAt(metricsPort), 'tool_gateway_calls_total');
    const killed = workersOf(gateway).get(2) ?? 0;
    process.kill(killed, 'SIGKILL');
    const restarted = 'tool_gateway_worker_restarts_total{worker="2"} 1';
    await until(async () => (await metricsAt(metricsPort)).includes(restarted));
    expect(workersOf(gateway).get(2)).not.toBe(killed);
    expect(gateway.stderr()).toContain('"worker":2,"code":null,"signal":"SIGKILL","pauseMs":0');
    const metrics = await metricsAt(metricsPort);
    expect(counted).toBeGreaterThan(100);
    expect(sumOf(metrics, 'tool_gateway_calls_total')).toBeGreaterThanOrEqual(counted);
    await load.stop();
    await until(async () => {
      const responders = new Set<number>();
      for (let request = 0; request < 8; request++) {
        const { workers, audit } = await detailsOf(gateway);
        if (audit.outbox === 0) responders.add(workers.respondedBy);
      }
      return responders.size === 2;
    });
    expect(await lostOf(load.answered, env)).toEqual([]);
    expect((await gateway.stop()).code).toBe(0);
  });

  test('finish and count all calls at SIGTERM, and end with code 0', async () => {
    const env = await environment();
    const gateway = await startWorkers(env);
    const load = startLoad(gateway, 16);
    await until(() => load.answered.length > 200);
    gateway.kill('SIGTERM');
    await load.ended;
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
    // A record without a response would mean that a call was accepted and then cut off.
    expect((await recordedIds(env)).sort()).toEqual(load.answered.toSorted());
    const database = await connectTo(env);
    const { rows } = await database.query(
      "select sum(calls)::int as calls from statistics where (step, scope, kind) = ('day', '*', 'all')",
    );
    expect(rows).toEqual([{ calls: load.answered.length }]);
  });

  test('end when their supervisor is killed', async () => {
    const env = await environment();
    const gateway = await startWorkers(env);
    const pids = [...workersOf(gateway).values()];
    expect(pids).toHaveLength(2);
    gateway.kill('SIGKILL');
    await until(() => !pids.some(isRunning));
    await startWorkers({ ...env, PORT: new URL(gateway.url).port });
  });

  test('leave one that does not answer out of the metrics, and kill it when they stop', async () => {
    const metricsPort = await freePort();
    const env = {
      ...(await environment()),
      METRICS_PORT: `${metricsPort}`,
      SHUTDOWN_GRACE_MS: '0',
    };
    const gateway = await startWorkers(env);
    const memory = async () =>
      sumOf(await metricsAt(metricsPort), 'tool_gateway_memory_budget_bytes');
    const both = await memory();
    process.kill(workersOf(gateway).get(2) ?? 0, 'SIGSTOP');
    expect(await memory()).toBe(both / 2);
    gateway.kill('SIGTERM');
    expect((await gateway.ended).code).toBe(1);
    expect(gateway.stderr()).toContain('A worker did not end in order.');
  });

  test('leave records, which a start without workers ships', async () => {
    const env = await environment();
    const left = join(env['DATA_DIR'] ?? '', 'workers/2/audit.db');
    const answered: string[] = [];
    // What is killed between two rounds of shipping leaves nothing.
    do {
      const gateway = await startWorkers(env);
      const load = startLoad(gateway, 16);
      await until(() => load.answered.length > 200);
      for (const pid of [gateway.pid, ...workersOf(gateway).values()]) process.kill(pid, 'SIGKILL');
      await load.ended;
      answered.push(...load.answered);
    } while (waitingIn(left) === 0);
    const { WORKERS: _, ...single } = env;
    const gateway = await startWorkers(single);
    await until(() => waitingIn(left) === 0);
    await until(() => gateway.stderr().includes('audit records of an earlier start shipped'));
    expect(await lostOf(answered, env)).toEqual([]);
    expect((await runGatewayCommand(['audit', 'verify'], env)).code).toBe(0);
    // Directories from which nothing is missing are not those of lost replicas.
    const database = await connectTo(env);
    const count = 'select count(*)::int as n from replicas';
    await until(async () => (await database.query(count)).rows[0].n === 1);
  });

  test('do not start if one of them cannot', async () => {
    const env = { ...(await environment()), PRESETS_DIR: '/nowhere' };
    const { code, stdout, stderr } = await runGatewayCommand(['start'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.match(/The presets directory \/nowhere cannot be read/g)).toHaveLength(1);
    expect(stderr).toContain('Worker 1 cannot start: its message is above.');
  });
});

test.each([
  {},
  { DATABASE_URL: 'postgres://127.0.0.1:1/gateway' },
  { REDIS_URL: 'redis://127.0.0.1:1' },
])('workers need PostgreSQL and Redis: %j', async (servers) => {
  const env = { WORKERS: 'auto', DATA_DIR: await temporaryDir(), ...servers };
  const { code, stdout, stderr } = await runGatewayCommand(['start'], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'WORKERS needs a PostgreSQL and a Redis server, through which its processes act as one. Set DATABASE_URL and REDIS_URL, or unset WORKERS.\n',
  );
});

test('the sandbox has no workers', async () => {
  const env = { WORKERS: '2', DATA_DIR: await temporaryDir() };
  const { code, stderr } = await runGatewayCommand(['start', '--sandbox'], env);
  expect(code).toBe(1);
  expect(stderr).toBe(
    'The sandbox runs in a single process. Unset WORKERS, or start without --sandbox.\n',
  );
});

/** A database, a Redis and a directory for the current test. */
async function environment(): Promise<Environment> {
  if (!postgres || !testRedisUrl) throw new Error('PostgreSQL and Redis are required.');
  const place: TestPlace = await postgres.makePlace();
  onTestFinished(place.remove);
  return {
    WORKERS: '2',
    PORT: '0',
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl?.reveal() ?? '',
    REDIS_URL: testRedisUrl,
    REDIS_KEY_PREFIX: `test:${randomUUID()}:`,
    BOOTSTRAP_API_KEY: newApiKeyText(),
    PRESETS_DIR: FEW_PRESETS,
  };
}

async function startWorkers(env: Environment): Promise<RunningGateway> {
  const gateway = await startGatewayProcess(env);
  onTestFinished(async () => {
    await gateway.stop();
  });
  return gateway;
}

/** Each over a connection of its own, because the kernel chooses a worker for each connection. */
const request = (gateway: RunningGateway, path: string, init: RequestInit = {}) =>
  fetch(gateway.url + path, {
    ...init,
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json', connection: 'close' },
  });

async function callOnce(gateway: RunningGateway): Promise<void> {
  const body = encodeCall('frankfurter_rates', { base: 'USD' });
  const response = await request(gateway, '/mcp', { method: 'POST', body });
  expect(await response.json()).toHaveProperty('result');
}

interface Details {
  readonly workers: { readonly total: number; readonly respondedBy: number };
  readonly audit: { readonly outbox: number };
}

const detailsOf = async (gateway: RunningGateway): Promise<Details> =>
  (await request(gateway, '/health/detailed')).json() as Promise<Details>;

const metricsAt = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** The sum of all series with this name. */
const sumOf = (metrics: string, name: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

/** The process of each worker, by its number. */
const workersOf = (gateway: RunningGateway): ReadonlyMap<number, number> =>
  new Map(
    childrenOf(gateway).flatMap((child) => {
      const [, number] = /--worker\0(\d+)/.exec(commandOf(child)) ?? [];
      return number ? [[Number(number), Number(child)]] : [];
    }),
  );

const childrenOf = ({ pid }: RunningGateway): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  return commandOf(String(pid)) !== '';
}

function waitingIn(path: string): number {
  const file = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  const row = file.prepare('SELECT sum(waiting) AS n FROM audit_outbox').get();
  file.close();
  return Number(row?.['n']);
}

async function connectTo(env: Environment): Promise<pg.Client> {
  const database = new pg.Client({ connectionString: env['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  return database;
}

async function recordedIds(env: Environment): Promise<string[]> {
  const { code, stdout, stderr } = await runGatewayCommand(['audit', 'export'], env);
  if (code !== 0) throw new Error(`audit export failed: ${stderr}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { auditId: string }).auditId);
}

/** The answered calls that do not have exactly one record. */
async function lostOf(answered: readonly string[], env: Environment): Promise<readonly string[]> {
  const counts = Map.groupBy(await recordedIds(env), (id) => id);
  return answered.filter((id) => counts.get(id)?.length !== 1);
}
