import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { newEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { withoutDatabaseLine } from '../support/database-line.ts';
import { openTestDatabase, postgres, type TestPlace } from '../support/databases.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import { startFlakyProxy } from '../support/flaky-proxy.ts';
import {
  type CommandResult,
  type Environment,
  runGatewayCommand,
} from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

describe.runIf(postgres)('a lost replica', () => {
  let place: TestPlace;
  let env: Environment;
  beforeEach(async () => {
    if (!postgres) throw new Error('PostgreSQL is required.');
    place = await postgres.makePlace();
    env = {
      DATABASE_URL: place.databaseUrl?.reveal() ?? '',
      ENCRYPTION_KEY: newEncryptionKey().reveal(),
      BOOTSTRAP_API_KEY: newApiKeyText(),
      PRESETS_DIR: FEW_PRESETS,
    };
  });
  afterEach(() => place.remove());

  const ship = async (...args: string[]): Promise<CommandResult> =>
    withoutDatabaseLine(
      await runGatewayCommand(['audit', 'ship', ...args], { ...env, DATA_DIR: place.dataDir }),
    );

  test('is shown with its waiting records, which audit ship stores', async () => {
    const direct = new URL(env['DATABASE_URL'] ?? '');
    const proxy = await startFlakyProxy({ host: direct.hostname, port: Number(direct.port) });
    const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(proxy.port) });
    const lostDir = await temporaryDir();
    const lost = await temporaryGateway({ ...env, DATA_DIR: lostDir, DATABASE_URL: url.href });
    await lost.call('frankfurter_rates');
    const database = await openTestDatabase(place);
    const stored = async () =>
      (await database.db.selectFrom('audit_records').select('audit_id').execute()).map(
        ({ audit_id }) => audit_id,
      );
    await until(async () => (await stored()).length === 1);
    proxy.cut();
    const ids: string[] = [];
    for (let n = 1; n <= 5; n++) {
      const { result } = await lost.call('frankfurter_rates', { _limit: n });
      if (result) ids.push(result.auditId);
    }
    const refused = await ship('--from', lostDir);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('is using the data directory'),
    ]);
    lost.kill('SIGKILL');
    await lost.ended;
    await proxy.close();

    const replicas = database.db.updateTable('replicas');
    await replicas.set({ seen_at: new Date(Date.now() - 60_000), waiting: 5 }).execute();
    const metricsPort = String(await freePort());
    const living = await temporaryGateway({
      ...env,
      DATA_DIR: await temporaryDir(),
      METRICS_PORT: metricsPort,
    });
    const health = async () => {
      const headers = { 'x-api-key': living.key };
      const response = await fetch(`${living.url}/health/detailed`, { headers });
      return ((await response.json()) as { replicas: { living: number; lost: object[] } }).replicas;
    };
    const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(await health()).toEqual({
      living: 1,
      lost: [
        {
          id: expect.stringMatching(/^rep_/),
          host: expect.any(String),
          dataDir: lostDir,
          waiting: 5,
          seenAt: expect.any(String),
          advice: expect.stringContaining(`audit ship --from ${lostDir}`),
        },
      ],
    });
    expect(await metrics()).toContain('tool_gateway_replicas_lost_records 5\n');
    expect(await metrics()).toContain('tool_gateway_replicas{state="lost"} 1\n');

    const shipped = await ship('--from', lostDir);
    expect({ ...shipped, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(shipped.stdout).toMatch(
      /^Shipped 5 records from \/.+\.\nrep_\w+ is no longer reported as lost\.\n$/,
    );
    expect(await stored()).toEqual(expect.arrayContaining(ids));
    expect(await stored()).toHaveLength(6);
    await until(async () => (await health()).lost.length === 0);
    expect((await ship('--from', lostDir)).stdout).toMatch(/^No record waits in /);
    expect(await stored()).toHaveLength(6);
    const verified = await runGatewayCommand(['audit', 'verify'], env);
    expect(verified.stdout).toContain('The audit log is intact.');
    await database.close();
  });

  test('is named with its directory, and audit ship says what is wrong with one', async () => {
    const dir = await temporaryDir();
    const embedded = await temporaryGateway({ DATA_DIR: dir });
    await embedded.stop();
    for (const [args, reason] of [
      [[], 'Name the directory: --from <dir>.'],
      [['--from', place.dataDir], 'contains no audit.db.'],
      [['--from', dir], 'belongs to a gateway without DATABASE_URL'],
      [['--forget', 'rep_1'], 'There is no lost replica rep_1.'],
    ] as const) {
      const { code, stdout, stderr } = await ship(...args);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
    }
    const { code, stderr } = await runGatewayCommand(['audit', 'ship', '--from', dir], {
      DATA_DIR: dir,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set DATABASE_URL')]);
    const away = { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/tools', DATA_DIR: dir };
    const silent = await runGatewayCommand(['audit', 'ship', '--from', dir], away);
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('cannot be used')]);
  });
});
