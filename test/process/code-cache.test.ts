import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

/** Turns off the tests' shared cache of compiled code. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' };

const filesIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true })).filter((name) => name.includes('/'));

describe('compiled code', () => {
  test('is stored under DATA_DIR, readable by its owner only, and used by the next start', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    const cache = join(env.DATA_DIR, 'code-cache');
    const first = await temporaryGateway(env);
    await first.stop();
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    const kept = await filesIn(cache);
    expect(kept.length).toBeGreaterThan(100);

    const second = await temporaryGateway({ ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    await second.stop();
    const output = second.stdout() + second.stderr();
    expect(output).toContain(`reading cache from ${cache}/`);
    expect(output).toContain('src/cli/cli.ts was accepted');
  });

  test('is neither read from nor written to a directory that others can write', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    const cache = join(env.DATA_DIR, 'code-cache');
    await mkdir(cache);
    await chmod(cache, 0o777);
    const gateway = await temporaryGateway(env);
    await gateway.stop();
    expect(await readdir(cache)).toEqual([]);
  });

  test('is not stored by a command that only reads', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    await runGatewayCommand(['--version'], env);
    expect(await readdir(env.DATA_DIR)).toEqual([]);
  });
});
