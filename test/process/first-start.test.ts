import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { commit, VERSION } from '../../src/platform/kernel/version.ts';
import { signIn } from '../support/admin-client.ts';
import { type GatewayProcess, ON_TERMINAL, runGatewayCommand } from '../support/gateway-process.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';
import { temporaryDir, temporaryGateway, WITHOUT_NETWORK } from './temporary.ts';

const count = (text: string, part: string): number => text.split(part).length - 1;

/** The shell command that the banner shows. */
const printedCommand = (banner: string): string =>
  banner.slice(banner.indexOf('curl')).split('\n\n')[0]?.trim() ?? '';

const shownBy = ({ stdout }: GatewayProcess): string =>
  stripVTControlCharacters(stdout()).replaceAll('\r', '');

/** Runs the printed command unchanged. */
const runPrinted = async (command: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', command])).stdout;

/** Whether this machine has a program. */
function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the first start', () => {
  test.runIf(hasProgram('script'))(
    'prints credentials and a working first call on a terminal, once',
    async () => {
      const dataDir = join(await temporaryDir(), 'data');
      const gateway = await temporaryGateway({ DATA_DIR: dataDir }, undefined, ON_TERMINAL);
      const banner = shownBy(gateway);
      expect(banner).toContain(gateway.key);
      expect(banner).toMatch(/sign-in to the dashboard, shown only once:\s+admin@localhost/);
      expect(readdirSync(dataDir).join()).not.toMatch(/first-api-key|admin-password/);
      expect(count(banner, 'Tool Gateway')).toBe(1);
      expect(banner).toContain(`${gateway.url}/docs`);
      expect(banner).toContain(`Sandbox      ${gateway.sandboxUrl}`);
      expect(gateway.key).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
      if (!hasProgram('curl')) return;
      const response = JSON.parse(await runPrinted(printedCommand(banner)));
      expect(response.result).toMatchObject({
        tool: 'frankfurter_rates',
        upstream: { status: 200 },
      });
    },
  );

  test('without a terminal, writes the new key to a file that, like all others, only its owner can read', async () => {
    const dataDir = join(await temporaryDir(), 'data');
    const gateway = await temporaryGateway({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
    const path = join(dataDir, 'first-api-key');
    expect(readFileSync(path, 'utf8')).toBe(`${gateway.key}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(gateway.stderr()).toContain(path);
    expect(gateway.stdout()).toMatch(/^Tool Gateway .* is ready at http.*\n$/);
    expect(gateway.stdout()).toContain(join(dataDir, 'admin-password'));
    expect(gateway.stdout() + gateway.stderr()).not.toContain('tg_live_');
    for (const name of ['.', ...readdirSync(dataDir)]) {
      expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test('the log begins with the version, and names the tables that were made', async () => {
    const dataDir = join(await temporaryDir(), 'data');
    const gateway = await temporaryGateway({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
    const lines = gateway
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ version: VERSION, commit: commit() });
    const updates = lines.filter(({ msg }) => msg === 'the tables of the database were updated');
    expect(updates.map(({ migrations }) => migrations.length > 0)).toEqual([true, true]);
  });

  test.runIf(hasProgram('script'))(
    'counts the tools that are ready, and names the keys that the others wait for',
    async () => {
      const gateway = await temporaryGateway(
        {
          DATA_DIR: await temporaryDir(),
          DART_API_KEY: 'given',
          PRESETS_DIR: SHIPPED_PRESETS,
          LOG_LEVEL: 'error',
        },
        [],
        ON_TERMINAL,
      );
      const banner = shownBy(gateway);
      const [, ready, tools, waiting, keys] =
        /(\d+) of (\d+) tools are ready; (\d+) wait for these (\d+) keys:/.exec(banner) ?? [];
      const response = await fetch(`${gateway.url}/api/v1/tools?limit=500`, {
        headers: { 'x-api-key': gateway.key },
      });
      const listed = (await response.json()) as { tools: { description: string }[] };
      const missing = listed.tools.flatMap(
        ({ description }) => /Needs the secrets? (\w+)/.exec(description)?.[1] ?? [],
      );
      expect([Number(tools), Number(waiting)]).toEqual([listed.tools.length, missing.length]);
      expect(Number(ready)).toBe(listed.tools.length - missing.length);
      expect(Number(keys)).toBe(new Set(missing).size);
      for (const name of missing) expect(banner).toContain(`${name} (`);
      expect(banner).not.toContain('DART_API_KEY');
      expect(banner).toContain('Get PUBLIC_DATA_SERVICE_KEY at https://www.data.go.kr\n');
    },
  );

  test('is found by the commands of its DATA_DIR until it ends', async () => {
    const dataDir = await temporaryDir();
    const gateway = await temporaryGateway({ DATA_DIR: dataDir });
    const env = { DATA_DIR: dataDir, TOOL_GATEWAY_API_KEY: gateway.key };
    const call = () => runGatewayCommand(['call', 'frankfurter_rates'], env);
    expect(await call()).toMatchObject({ code: 0, stderr: '' });
    await gateway.stop();
    const { code, stderr } = await call();
    expect([code, stderr]).toEqual([1, expect.not.stringContaining(gateway.url)]);
  });

  test('connects to no other host', async () => {
    const gateway = await temporaryGateway(
      {
        DATA_DIR: await temporaryDir(),
        NODE_OPTIONS: WITHOUT_NETWORK,
        PRESETS_DIR: SHIPPED_PRESETS,
      },
      [],
    );
    await fetch(`${gateway.url}/health/ready`);
    expect(gateway.stderr()).not.toContain('CONNECTS');
    await gateway.call('frankfurter_rates');
    expect(gateway.stderr()).toContain('CONNECTS api.frankfurter.dev');
  });

  test('writes the password of the first administrator to a file, as it has no terminal', async () => {
    const dataDir = join(await temporaryDir(), 'data');
    const env = { DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
    const gateway = await temporaryGateway(env);
    const path = join(dataDir, 'admin-password');
    const [email = '', password = ''] = readFileSync(path, 'utf8').split('\n');
    expect(email).toBe('admin@localhost');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await signIn(gateway, { email, password });
    expect(gateway.stderr()).toContain(path);
    expect(gateway.stdout() + gateway.stderr()).not.toContain(password);
    await gateway.stop();
    rmSync(path);
    await temporaryGateway({ ...env, ADMIN_PASSWORD: 'another password' });
    expect(readdirSync(dataDir)).not.toContain('admin-password');
  });
});

describe('a later start', () => {
  test.runIf(hasProgram('script'))('prints no key, and the old one still works', async () => {
    const env = { DATA_DIR: await temporaryDir() };
    const first = await temporaryGateway(env);
    await first.stop();
    const second = await temporaryGateway(env, undefined, ON_TERMINAL);
    expect(second.stdout()).not.toContain('tg_live_');
    expect(second.stdout()).toContain('keys create --tenant default');
    expect((await second.call('frankfurter_rates', {}, first.key)).result).toBeDefined();
  });
});
