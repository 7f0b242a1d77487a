import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import {
  type RunningGateway,
  runGatewayCommand,
  spawnGateway,
} from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

/** A way to fill a gateway's disk, and to free space again. */
interface Disk {
  readonly name: string;
  readonly reason: string;
  /** A directory on the disk, for the current test. */
  makeDir(): Promise<string>;
  fill(gateway: RunningGateway, dir: string): Promise<void>;
  free(gateway: RunningGateway, dir: string): Promise<void>;
}

/** Limits the size of files. It needs no privileges, but SQLite reports another error than for a full disk. */
const fileSizeLimit: Disk = {
  name: 'where files may not grow',
  reason: 'disk error',
  makeDir: temporaryDir,
  fill: async ({ pid }) => limitFileSize(pid, '4096'),
  free: async ({ pid }) => limitFileSize(pid, 'unlimited'),
};

function limitFileSize(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

/** A separate file system, which only root may mount. */
const smallFileSystem: Disk = {
  name: 'of 64 MiB',
  reason: 'disk full',
  makeDir: async () => {
    const dir = await mountSmall();
    onTestFinished(() => unmount(dir));
    return dir;
  },
  fill: async (_gateway, dir) => {
    const { bavail, bsize } = await statfs(dir);
    // The gateway may write at the same time, so less space may be left than was free.
    await writeFile(join(dir, 'filler'), Buffer.alloc(bavail * bsize)).catch(() => undefined);
  },
  free: (_gateway, dir) => rm(join(dir, 'filler')),
};

async function mountSmall(size = '64m'): Promise<string> {
  const dir = await makeDataDir();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', dir], { stdio: 'ignore' });
  return dir;
}

async function unmount(dir: string): Promise<void> {
  execFileSync('umount', [dir]);
  await removeDir(dir);
}

const mayMount = await mountSmall()
  .then(unmount)
  .then(
    () => true,
    () => false,
  );
if (!mayMount)
  console.warn(
    'File systems cannot be mounted here: full disks are only simulated by a size limit.',
  );

describe.each(mayMount ? [fileSizeLimit, smallFileSystem] : [fileSizeLimit])(
  'on a full disk $name',
  ({ reason, makeDir, fill, free }) => {
    test('calls are refused in plain words, readiness reports it, and service resumes once space is free', async () => {
      const dir = await makeDir();
      const gateway = await temporaryGateway({ DATA_DIR: join(dir, 'data') });
      const call = () => gateway.call('frankfurter_rates');
      const readiness = () => fetch(`${gateway.url}/health/ready`);
      const serving = async () => (await fetch(`${gateway.url}/health/serving`)).status;
      expect([(await call()).result !== undefined, await serving()]).toEqual([true, 200]);

      await fill(gateway, dir);
      // Records that fit into space reserved by SQLite are still accepted.
      await expect.poll(call, { interval: 0 }).toHaveProperty('error');
      const { error } = await call();
      expect(error).toMatchObject({
        code: -32000,
        message: expect.stringMatching(
          new RegExp(
            `^The audit log cannot be written \\(${reason}\\), so calls are refused until`,
          ),
        ),
        data: { reason: 'overloaded', retryable: true },
      });
      expect(await serving()).toBe(503);
      // The result of a check is valid for a second.
      await expect.poll(async () => (await readiness()).status).toBe(503);
      expect(await (await readiness()).json()).toMatchObject({
        status: 'degraded',
        checks: { database: { status: 'unhealthy' } },
      });

      await free(gateway, dir);
      await expect.poll(call).toHaveProperty('result');
      await expect.poll(async () => (await readiness()).status).toBe(200);
      expect(await serving()).toBe(200);
      expect((await gateway.stop()).code).toBe(0);
    });
  },
);

test.runIf(mayMount)('a start with too little space says so, wherever it ends', async () => {
  for (const size of ['300k', '500k', '700k']) {
    const dir = await mountSmall(size);
    onTestFinished(() => unmount(dir));
    const env = { PORT: '0', DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'silent' };
    const { code, stderr } = await runGatewayCommand(['start'], env);
    expect([code, stderr]).toEqual([
      1,
      'No disk space is left in DATA_DIR. Free some, or set DATA_DIR to a directory on another disk.\n',
    ]);
  }
});

/** Each call of each caller requests another day, so that none is cached. */
const dayOf = (caller: number, call: number): string =>
  new Date((call * 16 + caller) * 86_400_000).toISOString().slice(0, 10);

describe.runIf(mayMount)('a disk that fills under load', () => {
  const { makeDir, fill, free } = smallFileSystem;

  test('has the record of every call that was sent', async () => {
    const dir = await makeDir();
    const gateway = await temporaryGateway({ DATA_DIR: join(dir, 'data') });
    const answered = new Set<string>();
    const refusals = new Set<string>();
    let stopped = false;
    const callers = Array.from({ length: 16 }, async (_, i) => {
      for (let n = 0; !stopped; n++) {
        const { result, error } = await gateway.call('frankfurter_rates', {
          base: 'USD',
          date: dayOf(i, n),
        });
        if (result) answered.add(result.auditId);
        if (error) refusals.add(error.message);
      }
    });
    const stopLoad = async (): Promise<void> => {
      stopped = true;
      await Promise.all(callers);
    };
    onTestFinished(stopLoad);
    await until(() => answered.size > 100);
    await fill(gateway, dir);
    await until(() => refusals.size > 0);
    await sleep(1500);
    await stopLoad();
    // A refused call is refused before anything is sent upstream.
    expect([...refusals]).toEqual([
      expect.stringMatching(/disk full.*until disk space is available/),
    ]);
    const health = await fetch(`${gateway.url}/health/detailed`, {
      headers: { 'x-api-key': gateway.key },
    });
    expect(await health.json()).toMatchObject({ audit: { missing: 0, degraded: 'disk full' } });

    await free(gateway, dir);
    await expect.poll(() => gateway.call('frankfurter_rates')).toHaveProperty('result');
    await gateway.stop();
    const { stdout } = await runGatewayCommand(['audit', 'export'], {
      DATA_DIR: join(dir, 'data'),
    });
    const stored = new Set(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).auditId),
    );
    expect([...answered].filter((auditId) => !stored.has(auditId))).toEqual([]);
  });

  test('lets a gateway start read-only until space is free', async () => {
    const dir = await makeDir();
    const env = { DATA_DIR: join(dir, 'data'), BOOTSTRAP_API_KEY: newApiKeyText() };
    const before = await temporaryGateway(env);
    expect((await before.call('frankfurter_rates')).result).toBeDefined();
    await before.stop();
    await fill(before, dir);

    const gateway = await temporaryGateway(env);
    expect(gateway.stderr()).toContain('the audit log cannot be written; calls are refused');
    expect((await gateway.call('frankfurter_rates')).error).toMatchObject({
      code: -32000,
      data: { reason: 'overloaded' },
    });
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(503);
    const records = await fetch(`${gateway.url}/api/v1/audit`, {
      headers: { 'x-api-key': gateway.key },
    });
    expect(await records.json()).toMatchObject({ records: [{ outcome: 'ok' }] });
    await free(gateway, dir);
    await expect.poll(() => gateway.call('frankfurter_rates')).toHaveProperty('result');
  });
});

describe('a start on a full disk', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await makeDataDir();
    return () => removeDir(dataDir);
  });

  // Files may grow as far as the lock, the header of the database, or the middle of its tables.
  test.each([0, 600, 20_000, 60_000])('is refused in plain words (%i bytes)', async (bytes) => {
    const env = { PORT: '0', DATA_DIR: join(dataDir, String(bytes)), LOG_LEVEL: 'warn' };
    const gateway = spawnGateway(['start'], env, ['prlimit', `--fsize=${bytes}`]);
    expect((await gateway.ended).code).toBe(1);
    expect(gateway.stderr()).toMatch(
      /^(?:No disk space is left in DATA_DIR|The data.* cannot be (?:used|written)\b.*disk I\/O error).*\n$/,
    );
  });
});
