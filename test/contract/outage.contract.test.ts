import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  type OwnServer,
  ownPostgres,
  ownRedis,
  ownServersAvailable,
} from '../support/own-servers.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { verifies } from './requirements.ts';

describe.runIf(ownServersAvailable)('a gateway whose servers are stopped and started again', () => {
  let redis: OwnServer;
  let postgres: OwnServer;
  let gateway: TestGateway;

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([ownRedis(), ownPostgres()]);
    await Promise.all([redis.start(), postgres.start()]);
    const dataDir = await makeDataDir();
    gateway = await startTestGateway({
      backend: {
        name: 'postgres',
        makePlace: async () => ({
          dataDir,
          databaseUrl: new Secret(postgres.url),
          remove: () => removeDir(dataDir),
        }),
      },
      env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all([redis.remove(), postgres.remove()]);
  });

  const ready = () => gateway.json('/health/ready', { key: null });
  const readyWith = (status: number) =>
    expect.poll(async () => (await ready()).status).toBe(status);
  let n = 0;
  const call = async (): Promise<string> => {
    const { body } = await gateway.call('fixture_cached', { n: ++n });
    return body.result.auditId;
  };

  test(verifies('state.degraded', 'state.recovers'), async () => {
    await readyWith(200);
    for (const [server, name] of [
      [redis, 'redis'],
      [postgres, 'database'],
    ] as const) {
      await server.stop();
      await readyWith(503);
      const { body } = await ready();
      expect(body.status).toBe('degraded');
      expect(body.checks[name].status).toBe('unhealthy');
      for (const path of ['/health', '/health/serving']) {
        expect((await gateway.json(path, { key: null })).body.status).toBe('healthy');
      }
      await server.start();
      await readyWith(200);
      expect((await ready()).body.status).toBe('healthy');
    }
  });

  test('calls continue without Redis', async () => {
    await redis.stop();
    expect(await call()).toMatch(/^aud_/);
    await redis.start();
    await readyWith(200);
  });

  test('calls with known keys continue without PostgreSQL, and no record is lost', async () => {
    await call();
    await postgres.stop();
    const ids = [await call(), await call(), await call()];
    const detailed = await gateway.json('/health/detailed');
    expect(detailed.body.audit).toMatchObject({ missing: 0, degraded: null });
    expect(detailed.body.audit.outbox).toBeGreaterThanOrEqual(3);
    const unknown = await gateway.json('/api/v1/tools', { key: `tg_live_${'u'.repeat(43)}` });
    expect(unknown.status).toBe(503);
    expect(unknown.body.error).toBe('Service Unavailable');
    expect((await gateway.json('/api/v1/audit')).status).toBe(503);
    await postgres.start();
    await readyWith(200);
    for (const id of ids) {
      await expect.poll(async () => (await gateway.json(`/api/v1/audit/${id}`)).status).toBe(200);
    }
  });

  test(verifies('contract.audit-read-only'), async () => {
    const shipped = await call();
    const list = () => gateway.json('/api/v1/audit');
    expect((await list()).body.records[0].auditId).toBe(shipped);
    await setReadOnly(true);
    const waiting = await call();
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.records[0].auditId).toBe(shipped);
    const record = await gateway.json(`/api/v1/audit/${waiting}`);
    expect([record.status, record.body.message]).toEqual([503, expect.stringContaining('wait')]);
    const detailed = await gateway.json('/health/detailed');
    expect(detailed.body.audit).toMatchObject({
      degraded: 'PostgreSQL is read-only',
      outbox: 1,
      deadLetters: 0,
    });

    await setReadOnly(false);
    const after = await list();
    expect(after.body.records[0].auditId).toBe(waiting);
  });

  /** The state in which a failover leaves a server. */
  async function setReadOnly(on: boolean): Promise<void> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`alter system set default_transaction_read_only = ${on ? 'on' : 'off'}`);
    await client.query('select pg_reload_conf()');
    await client.end();
    await readyWith(on ? 503 : 200);
  }
});
