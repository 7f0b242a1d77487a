import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { ADMIN_ENV, signIn } from '../support/admin-client.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

const count = (text: string, part: string): number => text.split(part).length - 1;

/** The shell command that the banner shows. */
const printedCommand = (banner: string): string => banner.slice(banner.indexOf('curl')).trim();

/** Runs the printed command unchanged, or, without curl, the equivalent request. */
async function runPrinted(command: string): Promise<string> {
  if (hasCurl()) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    return stdout;
  }
  const url = /curl -s (\S+)/.exec(command)?.[1] ?? '';
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  const body = /-d '([^']+)'/.exec(command)?.[1] ?? '';
  return (await fetch(url, { method: 'POST', headers, body })).text();
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the first start', () => {
  test('prints its address, its new key and a working first call, once', async () => {
    const gateway = await temporaryGateway({ DATA_DIR: await temporaryDir() });
    const banner = gateway.stdout();
    expect(count(banner, 'Tool Gateway')).toBe(1);
    expect(banner).toContain(`${gateway.url}/docs`);
    expect(banner).toContain(`Sandbox      ${gateway.sandboxUrl}`);
    expect(gateway.key).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
    const response = JSON.parse(await runPrinted(printedCommand(banner)));
    expect(response.result).toMatchObject({ tool: 'frankfurter_rates', upstream: { status: 200 } });
  });

  test('creates files that only their owner can read', async () => {
    const dataDir = join(await temporaryDir(), 'data');
    await temporaryGateway({ DATA_DIR: dataDir });
    for (const name of ['.', ...readdirSync(dataDir)]) {
      expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
    }
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

  test('creates the administrator of the settings, and no file', async () => {
    const dataDir = join(await temporaryDir(), 'data');
    const gateway = await temporaryGateway({ DATA_DIR: dataDir, ...ADMIN_ENV });
    expect(readdirSync(dataDir)).not.toContain('admin-password');
    await signIn(gateway);
  });

  test('accepts BOOTSTRAP_API_KEY and does not print it', async () => {
    const key = newApiKeyText();
    const gateway = await temporaryGateway({
      DATA_DIR: await temporaryDir(),
      BOOTSTRAP_API_KEY: key,
    });
    expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
    expect(gateway.stdout()).not.toContain('tg_live_');
    expect(gateway.stderr()).not.toContain('tg_live_');
  });
});

describe('a later start', () => {
  test('prints no key, and the old one still works', async () => {
    const env = { DATA_DIR: await temporaryDir() };
    const first = await temporaryGateway(env);
    await first.stop();
    const second = await temporaryGateway(env);
    expect(second.stdout()).not.toContain('tg_live_');
    expect(second.stdout()).toContain('keys create --tenant default');
    expect((await second.call('frankfurter_rates', {}, first.key)).result).toBeDefined();
  });
});
