import { chmod, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { codeCacheDir } from './code-cache.ts';

async function dataDir(): Promise<string> {
  const dir = await makeDataDir();
  onTestFinished(() => removeDir(dir));
  return dir;
}

describe('the directory for compiled code', () => {
  it('is created for its owner only, and found again', async () => {
    const dir = await dataDir();
    const cache = join(dir, 'code-cache');
    expect(codeCacheDir(dir, false)).toBeNull();
    expect(codeCacheDir(dir, true)).toBe(cache);
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    expect(codeCacheDir(dir, false)).toBe(cache);
    expect(codeCacheDir(dir, true)).toBe(cache);
  });

  it('is not created if the data directory does not exist', async () => {
    const dir = join(await dataDir(), 'absent');
    expect(codeCacheDir(dir, true)).toBeNull();
    await expect(stat(dir)).rejects.toThrow('ENOENT');
  });

  it.each([0o770, 0o701, 0o777])('is not used with mode %o', async (mode) => {
    const dir = await dataDir();
    await mkdir(join(dir, 'code-cache'));
    await chmod(join(dir, 'code-cache'), mode);
    expect(codeCacheDir(dir, true)).toBeNull();
  });

  it('is not used if it is a symbolic link', async () => {
    const [dir, elsewhere] = [await dataDir(), await dataDir()];
    await symlink(elsewhere, join(dir, 'code-cache'));
    expect(codeCacheDir(dir, true)).toBeNull();
  });

  it('is not used if another user owns it or the data directory', async () => {
    const dir = await dataDir();
    const { uid } = await stat(dir);
    expect(codeCacheDir(dir, true)).not.toBeNull();
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
    onTestFinished(() => getuid.mockRestore());
    expect(codeCacheDir(dir, true)).toBeNull();
  });

  it.each([0o720, 0o702, 0o1777])(
    'is not used if others may write to the data directory (%o)',
    async (mode) => {
      const dir = await dataDir();
      await chmod(dir, mode);
      expect(codeCacheDir(dir, true)).toBeNull();
    },
  );
});
