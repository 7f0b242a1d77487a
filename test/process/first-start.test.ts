import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

const count = (text: string, part: string): number => text.split(part).length - 1;

/** The shell command that the banner tells a person to type. */
const printedCommand = (banner: string): string => banner.slice(banner.indexOf('curl')).trim();

/** Runs the printed command as it stands, or, where there is no curl, the request it stands for. */
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
  test('prints once where it is, the key it made, and a first call that works as it stands', async () => {
    const gateway = await temporaryGateway({ DATA_DIR: await temporaryDir() });
    const banner = gateway.stdout();
    expect(count(banner, 'Tool Gateway')).toBe(1);
    expect(banner).toContain(`${gateway.url}/docs`);
    expect(banner).toContain(`Sandbox      ${gateway.sandboxUrl}`);
    expect(gateway.key).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
    const answer = JSON.parse(await runPrinted(printedCommand(banner)));
    expect(answer.result).toMatchObject({ tool: 'frankfurter_rates', upstream: { status: 200 } });
  });

  test('makes files that only their owner can read', async () => {
    const dataDir = join(await temporaryDir(), 'data');
    await temporaryGateway({ DATA_DIR: dataDir });
    for (const name of ['.', ...readdirSync(dataDir)]) {
      expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test('takes BOOTSTRAP_API_KEY and does not repeat it', async () => {
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
