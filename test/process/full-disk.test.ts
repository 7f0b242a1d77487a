import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RunningGateway, spawnGateway } from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

/** A way to bring a gateway's disk to its end, and back. */
interface Disk {
  readonly name: string;
  readonly reason: string;
  /** A directory on the disk, for the test that runs now. */
  makeDir(): Promise<string>;
  fill(gateway: RunningGateway, dir: string): Promise<void>;
  free(gateway: RunningGateway, dir: string): Promise<void>;
}

/** Files may not grow beyond a size: works for everybody, though SQLite gives the fault another name. */
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

/** A file system of its own, which only root may mount. */
const smallFileSystem: Disk = {
  name: 'of 6 MiB',
  reason: 'disk full',
  makeDir: async () => {
    const dir = await mountSmall();
    onTestFinished(() => unmount(dir));
    return dir;
  },
  fill: async (_gateway, dir) => {
    const { bavail, bsize } = await statfs(dir);
    await writeFile(join(dir, 'filler'), Buffer.alloc(bavail * bsize));
  },
  free: (_gateway, dir) => rm(join(dir, 'filler')),
};

async function mountSmall(): Promise<string> {
  const dir = await makeDataDir();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', dir], { stdio: 'ignore' });
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
  console.warn('Nothing can be mounted here: full disks are imitated by a limit only.');

describe.each(mayMount ? [fileSizeLimit, smallFileSystem] : [fileSizeLimit])(
  'on a full disk $name',
  ({ reason, makeDir, fill, free }) => {
    test('calls are refused in plain words, readiness tells, and all is well once there is room', async () => {
      const dir = await makeDir();
      const gateway = await temporaryGateway({ DATA_DIR: join(dir, 'data') });
      const call = () => gateway.call('frankfurter_rates');
      const readiness = () => fetch(`${gateway.url}/health/ready`);
      expect((await call()).result).toBeDefined();

      await fill(gateway, dir);
      // Records that fit into what SQLite has reserved are still taken.
      await expect.poll(call, { timeout: 20_000, interval: 0 }).toHaveProperty('error');
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
      const degraded = await readiness();
      expect(degraded.status).toBe(503);
      expect(await degraded.json()).toMatchObject({
        status: 'degraded',
        checks: { database: { status: 'unhealthy' } },
      });

      await free(gateway, dir);
      await expect.poll(call, { timeout: 20_000 }).toHaveProperty('result');
      expect((await readiness()).status).toBe(200);
      expect((await gateway.stop()).code).toBe(0);
    });
  },
);

describe('a start on a full disk', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await makeDataDir();
    return () => removeDir(dataDir);
  });

  // Files may grow to the lock, to the head of the database, to the middle of its tables.
  test.each([0, 600, 20_000, 60_000])('is refused in plain words (%i bytes)', async (bytes) => {
    const gateway = spawnGateway(['start'], { PORT: '0', DATA_DIR: join(dataDir, String(bytes)) }, [
      'prlimit',
      `--fsize=${bytes}`,
    ]);
    expect((await gateway.ended).code).toBe(1);
    expect(gateway.stderr()).toMatch(
      /^The data.* cannot be (?:used|written)\b.*disk I\/O error.*\n$/,
    );
  });
});
