import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const makeDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'gateway-test-'));

export const removeDir = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true });

/** A directory that is removed at the latest when this process ends; `beforehand` then stops what uses it. */
export async function makeOwnDir(
  beforehand: () => void = () => undefined,
): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await makeDataDir();
  const exit = (): void => {
    beforehand();
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', exit);
  return {
    dir,
    remove: async () => {
      process.off('exit', exit);
      await removeDir(dir);
    },
  };
}
