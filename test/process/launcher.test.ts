import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { collectOutput } from '../support/collect-output.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import { cleanEnvironment, type Environment, readStart } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { temporaryDir } from './temporary.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LAUNCHER = 'bin/tool-gateway.mjs';

/** Code that makes this Node.js report an older version. */
const pretend = (version: string, execve: boolean): string =>
  `--import=data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });
     Object.defineProperty(process, 'version', { value: 'v${version}' });
     ${execve ? '' : 'delete process.execve;'}`,
  )}`;

function launch(flags: readonly string[], args: readonly string[], env: Environment, root = ROOT) {
  const child = spawn(process.execPath, [...flags, join(root, LAUNCHER), ...args], {
    cwd: root,
    env: cleanEnvironment({ PORT: '0', PRESETS_DIR: FEW_PRESETS, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr] = [collectOutput(child.stdout), collectOutput(child.stderr)];
  return { child, stdout, stderr, ended: once(child, 'close') };
}

/** Whether the gateway of this API key listens: its port may be another process's a moment later. */
const acceptsKey = (url: string, apiKey: string): Promise<boolean> =>
  fetch(`${url}/api/v1/tools`, { headers: { authorization: `Bearer ${apiKey}` } }).then(
    (response) => response.ok,
    () => false,
  );

/** Copies what the launcher needs of its package. */
async function copyLauncher(root: string): Promise<string> {
  await mkdir(join(root, 'bin'), { recursive: true });
  for (const file of [LAUNCHER, 'package.json']) await copyFile(join(ROOT, file), join(root, file));
  return root;
}

/** Writes the packages that contain Node.js for all platforms, with a program that ends with code 42. */
async function plantNode(nodeModules: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  for (const name of Object.keys(manifest.optionalDependencies)) {
    const program = join(nodeModules, name, 'bin/node');
    await mkdir(dirname(program), { recursive: true });
    await writeFile(program, '#!/bin/sh\nexit 42\n', { mode: 0o755 });
    await writeFile(join(nodeModules, name, 'package.json'), '{}');
  }
}

describe('the launcher', () => {
  test.each([
    ['this Node.js', []],
    ['the installed Node.js, in place of an older one', [pretend('22.15.0', true)]],
    ['the installed Node.js, beside an older one', [pretend('18.20.0', false)]],
  ])('runs the gateway on %s, which stops by SIGTERM', async (_title, flags) => {
    const apiKey = newApiKeyText();
    const env = { DATA_DIR: await temporaryDir(), BOOTSTRAP_API_KEY: apiKey };
    const { child, stdout, stderr, ended } = launch(
      ['--expose-gc', ...flags],
      ['start', '--sandbox'],
      env,
    );
    await until(() => readStart(stdout()) !== null || child.exitCode !== null);
    const { url } = readStart(stdout()) ?? {};
    expect(url, stderr()).toBeDefined();
    expect(await acceptsKey(`${url}`, apiKey)).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await acceptsKey(`${url}`, apiKey)).toBe(false);
  });

  test('ends the gateway beside an older Node.js with itself, even by SIGKILL', async () => {
    const apiKey = newApiKeyText();
    const env = { DATA_DIR: await temporaryDir(), BOOTSTRAP_API_KEY: apiKey };
    const { child, stdout } = launch([pretend('18.20.0', false)], ['start', '--sandbox'], env);
    await until(() => readStart(stdout()) !== null);
    const { url } = readStart(stdout()) ?? {};
    child.kill('SIGKILL');
    await until(async () => !(await acceptsKey(`${url}`, apiKey)));
  });

  test.each(['standard output', 'standard output and errors'])(
    'serves when the reader of its %s is closed, and stops by SIGTERM',
    async (streams) => {
      const apiKey = newApiKeyText();
      const port = await freePort();
      const env = { DATA_DIR: await temporaryDir(), BOOTSTRAP_API_KEY: apiKey, PORT: `${port}` };
      const { child, ended } = launch([], ['start'], env);
      child.stdout.destroy();
      if (streams !== 'standard output') child.stderr.destroy();
      await until(() => acceptsKey(`http://127.0.0.1:${port}`, apiKey));
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );

  test.each([
    [[], 0],
    [[pretend('18.20.0', false)], 0],
  ])('passes arguments and the exit code on', async (flags, expected) => {
    const good = launch(flags, ['--version'], {});
    expect(await good.ended).toEqual([expected, null]);
    expect(good.stdout()).toMatch(/^\d+\.\d+\.\d+( \([0-9a-f]{7}\))?\n$/);
    const bad = launch(flags, ['no-such-command'], {});
    expect(await bad.ended).toEqual([2, null]);
  });

  test.each([
    ['this Node.js', []],
    ['the installed Node.js, in place of an older one', [pretend('22.15.0', true)]],
    ['the installed Node.js, beside an older one', [pretend('18.20.0', false)]],
  ])('explains on %s that an env file is missing', async (_title, flags) => {
    const { ended, stderr } = launch([...flags, '--'], ['keys', 'list', '--env-file', '/nope'], {});
    expect(await ended).toEqual([1, null]);
    expect(stderr()).toMatch(/^--env-file: \/nope cannot be read \(ENOENT\)\. Give the path/);
  });

  test('says what to install when no suitable Node.js is found', async () => {
    const root = await copyLauncher(await temporaryDir());
    const { ended, stderr } = launch([pretend('20.20.2', true)], ['start'], {}, root);
    expect(await ended).toEqual([1, null]);
    expect(stderr()).toMatch(/needs Node\.js 24 or newer; this is v20\.20\.2\.\n.*npm ci/s);
    expect(stderr()).not.toMatch(/^ +at /m);
  });

  test.each([
    ['within a checkout', 'tool-gateway', 'tool-gateway/node_modules'],
    ['beside an installed package', 'node_modules/tool-gateway', 'node_modules'],
    ['within it', 'lib/node_modules/tool-gateway', 'lib/node_modules/tool-gateway/node_modules'],
  ])('runs the Node.js %s', async (_title, root, nodeModules) => {
    const dir = await temporaryDir();
    await plantNode(join(dir, nodeModules));
    const planted = launch(
      [pretend('20.20.2', false)],
      [],
      {},
      await copyLauncher(join(dir, root)),
    );
    expect(await planted.ended).toEqual([42, null]);
  });

  test.each([
    ['from a folder above a checkout', 'work/tool-gateway', 'node_modules'],
    ['beside a checkout', 'work/tool-gateway', 'work'],
    ['from a folder above node_modules', 'work/node_modules/tool-gateway', 'node_modules'],
    ['beside itself', 'tool-gateway', 'tool-gateway/bin/node_modules'],
    ['from NODE_PATH', 'tool-gateway', 'elsewhere'],
    ['from the home directory', 'tool-gateway', 'home/.node_modules'],
  ])('does not run a Node.js %s', async (_title, root, nodeModules) => {
    const dir = await temporaryDir();
    await plantNode(join(dir, nodeModules));
    const env = { HOME: join(dir, 'home'), NODE_PATH: join(dir, 'elsewhere') };
    const flags = [pretend('20.20.2', false)];
    const { ended, stderr } = launch(flags, ['start'], env, await copyLauncher(join(dir, root)));
    expect(await ended).toEqual([1, null]);
    expect(stderr()).toContain('Tool Gateway needs Node.js 24 or newer');
  });
});
