import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

/** The tests' own cache of compiled code, put out of the way. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' };

const filesIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true })).filter((name) => name.includes('/'));

describe('compiled code', () => {
  test('is kept under DATA_DIR for its owner alone, and used by the next start', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    const cache = join(env.DATA_DIR, 'code-cache');
    const first = await temporaryGateway(env);
    await first.stop();
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    const kept = await filesIn(cache);
    expect(kept.length).toBeGreaterThan(100);

    const second = await temporaryGateway({ ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    await second.stop();
    const said = second.stdout() + second.stderr();
    expect(said).toContain(`reading cache from ${cache}/`);
    expect(said).toContain('src/cli/cli.ts was accepted');
  });

  test('is neither read from nor written to a directory that others may write', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    const cache = join(env.DATA_DIR, 'code-cache');
    await mkdir(cache);
    await chmod(cache, 0o777);
    const gateway = await temporaryGateway(env);
    await gateway.stop();
    expect(await readdir(cache)).toEqual([]);
  });

  test('is not kept by a command that only reads', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    await runGatewayCommand(['--version'], env);
    expect(await readdir(env.DATA_DIR)).toEqual([]);
  });
});
