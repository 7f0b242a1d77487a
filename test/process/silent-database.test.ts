import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MIGRATION_LOCK } from '../../src/platform/database/migrate.ts';
import { openTestDatabase, postgres, type TestPlace } from '../support/databases.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import { type FlakyProxy, startFlakyProxy } from '../support/flaky-proxy.ts';
import {
  type GatewayProcess,
  runGatewayCommand,
  spawnGateway,
} from '../support/gateway-process.ts';
import { freePort, listenAnywhere } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { temporaryDir } from './temporary.ts';

interface Starting {
  readonly gateway: GatewayProcess;
  readonly url: string;
  readonly dataDir: string;
}

/** Starts a gateway of a database, and does not wait for it. */
async function startOn(databaseUrl: string): Promise<Starting> {
  const dataDir = await temporaryDir();
  const port = String(await freePort());
  const env = {
    PORT: port,
    DATA_DIR: dataDir,
    PRESETS_DIR: FEW_PRESETS,
    DATABASE_URL: databaseUrl,
    LOG_FORMAT: 'json',
  };
  const gateway = spawnGateway(['start'], env);
  onTestFinished(async () => {
    await gateway.stop();
  });
  return { gateway, url: `http://127.0.0.1:${port}`, dataDir };
}

/** A response of a gateway; null while its port is closed. */
async function ask(url: string, init?: RequestInit) {
  const response = await fetch(url, init).catch(() => null);
  if (response === null) return null;
  const { status, headers } = response;
  return { status, headers, body: JSON.parse(await response.text()) };
}

const NOT_STARTED = {
  error: 'Service Unavailable',
  message: 'The gateway is starting: it waits for its database.',
};

/** Fails unless the gateway waits as docs/contract.md#health says. */
async function expectToWait({ url }: Starting): Promise<void> {
  const health = await ask(`${url}/health`);
  expect([health?.status, health?.body]).toMatchObject([200, { status: 'healthy' }]);
  const serving = await ask(`${url}/health/serving`);
  expect([serving?.status, serving?.body]).toMatchObject([503, { status: 'degraded' }]);
  for (const [path, init] of [
    ['/mcp', { method: 'POST', body: '{}' }],
    ['/health/ready', {}],
    ['/admin', {}],
    ['/nowhere', { method: 'DELETE' }],
  ] as const) {
    const response = await ask(`${url}${path}`, init);
    expect([path, response?.status, response?.body]).toEqual([path, 503, NOT_STARTED]);
    expect(response?.headers.get('retry-after')).toBe('5');
    expect(response?.headers.get('x-request-id')).toMatch(/^req_/);
  }
}

const isServing = async ({ url }: Starting): Promise<boolean> =>
  (await ask(`${url}/health/serving`))?.status === 200;

/** The reasons of the log lines that say that the start waits. */
const reasonsOf = ({ gateway }: Starting): string[] =>
  gateway
    .stderr()
    .split('\n')
    .filter((line) => line.includes('PostgreSQL does not respond'))
    .map((line) => JSON.parse(line).reason);

describe('a start whose PostgreSQL server is silent', () => {
  test('waits without the password in its log, and ends with SIGTERM', async () => {
    const port = await freePort();
    const starting = await startOn(`postgres://gateway:hunter2@127.0.0.1:${port}/gateway`);
    await until(async () => (await ask(`${starting.url}/health`)) !== null);
    await expectToWait(starting);
    expect(reasonsOf(starting)[0]).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
    await until(() => reasonsOf(starting).length > 1);
    expect(await starting.gateway.stop()).toEqual({ code: 0, signal: null });
    expect(starting.gateway.stderr() + starting.gateway.stdout()).not.toContain('hunter2');
    expect(existsSync(join(starting.dataDir, 'first-api-key'))).toBe(false);
  });

  test('waits for a host without a name, and for a server that accepts and says nothing', async () => {
    const { server, port } = await listenAnywhere();
    onTestFinished(() => void server.close());
    const waits = async (host: string): Promise<void> => {
      const starting = await startOn(`postgres://gateway:hunter2@${host}/gateway`);
      await until(async () => (await ask(`${starting.url}/health`)) !== null);
      await expectToWait(starting);
      expect(await starting.gateway.stop()).toEqual({ code: 0, signal: null });
    };
    await Promise.all([waits(`127.0.0.1:${port}`), waits('postgres.invalid')]);
  });
});

test('a start with an answer that says no is refused', async () => {
  // A server that refuses every password.
  const { server, port } = await listenAnywhere();
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    const fields = ['SFATAL', 'C28P01', 'Mpassword authentication failed for user "gateway"', ''];
    const body = Buffer.from(`${fields.join('\0')}\0`);
    const head = Buffer.alloc(5, 'E');
    head.writeInt32BE(body.length + 4, 1);
    socket.once('data', () => socket.end(Buffer.concat([head, body])));
  });
  const { code, stderr } = await runGatewayCommand(['start'], {
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: await temporaryDir(),
    DATABASE_URL: `postgres://gateway:hunter2@127.0.0.1:${port}/gateway`,
  });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'The PostgreSQL server of DATABASE_URL cannot be used: password authentication failed for user "gateway". Check that it runs and that DATABASE_URL is right; without DATABASE_URL, the gateway stores its data in DATA_DIR.\n',
  );
});

describe.runIf(postgres)('a first start', () => {
  /** A place whose database is behind a proxy. */
  async function flakyPlace(): Promise<{ place: TestPlace; proxy: FlakyProxy; url: string }> {
    const place = await postgres?.makeEmptyPlace();
    if (!place?.databaseUrl) throw new Error('no PostgreSQL');
    onTestFinished(place.remove);
    const address = new URL(place.databaseUrl.reveal());
    const host = address.searchParams.get('host') ?? address.hostname;
    const proxy = await startFlakyProxy({ host, port: Number(address.port || 5432) });
    onTestFinished(proxy.close);
    address.searchParams.delete('host');
    address.hostname = '127.0.0.1';
    address.port = String(proxy.port);
    return { place, proxy, url: address.href };
  }

  /** Fails unless the one key and the one person are those that the start has handed over. */
  async function expectHandedOver(place: TestPlace, starting: Starting): Promise<void> {
    const key = readFileSync(join(starting.dataDir, 'first-api-key'), 'utf8').trim();
    const tools = await ask(`${starting.url}/api/v1/tools`, { headers: { 'x-api-key': key } });
    expect(tools?.status).toBe(200);
    expect(readFileSync(join(starting.dataDir, 'admin-password'), 'utf8')).toContain('admin@');
    const database = await openTestDatabase(place);
    try {
      const people = await database.db.selectFrom('people_users').select('id').execute();
      const keys = await database.db.selectFrom('api_keys').select('id').execute();
      expect([people.length, keys.length]).toEqual([1, 1]);
    } finally {
      await database.close();
    }
  }

  test('continues once PostgreSQL is back, on the same port', async () => {
    const { place, proxy, url } = await flakyPlace();
    proxy.cut();
    const starting = await startOn(url);
    await until(async () => (await ask(`${starting.url}/health`)) !== null);
    await expectToWait(starting);
    proxy.mend();
    await until(() => isServing(starting));
    await expectHandedOver(place, starting);
    expect(await starting.gateway.stop()).toEqual({ code: 0, signal: null });
  });

  test('has a key, an administrator and their files when it first serves, wherever it lost its connections', async () => {
    const cutAfter = async (ms: number): Promise<void> => {
      const { place, proxy, url } = await flakyPlace();
      const starting = await startOn(url);
      const cut = sleep(ms).then(async () => {
        proxy.cut();
        await sleep(1000);
        proxy.mend();
      });
      await until(() => isServing(starting));
      await expectHandedOver(place, starting);
      await cut;
      await expectHandedOver(place, starting);
      expect(await starting.gateway.stop()).toEqual({ code: 0, signal: null });
    };
    await Promise.all([500, 800, 1100, 1400, 1700, 2000].map(cutAfter));
  });

  test('waits for the migration of another gateway behind a closed port', async () => {
    const { place } = await flakyPlace();
    const url = place.databaseUrl?.reveal() ?? '';
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    const starting = await startOn(url);
    await sleep(7000);
    expect(await ask(`${starting.url}/health`)).toBeNull();
    expect(reasonsOf(starting)).toEqual([]);
    await other.query(`select pg_advisory_unlock(${MIGRATION_LOCK})`);
    await until(() => isServing(starting));
  });
});
