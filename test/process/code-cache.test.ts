import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { presetFiles, presetWith, temporaryDir, temporaryGateway } from './temporary.ts';

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

  test('includes the presets, which the next start does not compile', async () => {
    const cache = await temporaryDir();
    const env = {
      NODE_COMPILE_CACHE: cache,
      DATA_DIR: await temporaryDir(),
      PRESETS_DIR: await presetFiles({ 'weather/one.yaml': presetWith('from_the_file') }),
    };
    const listTools = async (): Promise<string> => {
      const gateway = await temporaryGateway(env);
      const { stdout } = await runGatewayCommand(['tools', 'list'], env);
      await gateway.stop();
      return stdout;
    };
    expect(await listTools()).toContain('from_the_file');
    const [name = ''] = (await filesIn(cache)).filter((path) => path.endsWith('.json'));
    const text = await readFile(join(cache, name), 'utf8');
    await writeFile(join(cache, name), text.replaceAll('from_the_file', 'from_the_cache'));
    expect(await listTools()).toContain('from_the_cache');
  });

  test('is not stored by a command that only reads', async () => {
    const env = { ...OWN_CACHE, DATA_DIR: await temporaryDir() };
    await runGatewayCommand(['--version'], env);
    expect(await readdir(env.DATA_DIR)).toEqual([]);
  });
});
