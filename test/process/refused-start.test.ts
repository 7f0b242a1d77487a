import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FEW_PRESETS } from '../support/few-presets.ts';
import { type Environment, runGatewayCommand } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { presetFiles, presetWith, takenPort, temporaryDir, temporaryGateway } from './temporary.ts';

/** Starts a gateway that must refuse with exit code 1 and a short message on standard error, which is returned. */
async function refusalOf(env: Environment): Promise<string> {
  const { code, stdout, stderr } = await runGatewayCommand(['start'], {
    PORT: '0',
    PRESETS_DIR: FEW_PRESETS,
    LOG_LEVEL: 'warn',
    ...env,
  });
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^ +at |node:internal|Error:/m);
  expect(code).toBe(1);
  return stderr;
}

/** The path at which a data directory would be created. */
const unmadeDir = async (): Promise<string> => join(await temporaryDir(), 'data');

describe('a start with wrong settings', () => {
  test.each(['HOST', 'METRICS_HOST'])(
    'says that %s is not an address of this machine',
    async (name) => {
      const port = String(await freePort());
      const env = { [name]: '192.0.2.1', METRICS_PORT: name === 'HOST' ? '0' : port };
      const message = await refusalOf({ ...env, DATA_DIR: await unmadeDir() });
      expect(message).toMatch(
        new RegExp(`^${name} 192\\.0\\.2\\.1 is not an address of this machine\\.`),
      );
    },
  );
});

describe('a start on a port in use', () => {
  test.each(['PORT', 'METRICS_PORT'])(
    'names the port, and %s as the setting that chooses another',
    async (setting) => {
      const port = await takenPort();
      const message = await refusalOf({ [setting]: String(port), DATA_DIR: await unmadeDir() });
      expect(message).toBe(
        `Port ${port} on 127.0.0.1 is in use. Stop the process that uses it, or choose another port with ${setting}.\n`,
      );
    },
  );

  test('creates no key, so that the first successful start can show one', async () => {
    const env = { DATA_DIR: await unmadeDir() };
    await refusalOf({ ...env, PORT: String(await takenPort()) });
    const gateway = await temporaryGateway(env);
    expect(gateway.stdout()).toContain('first-api-key');
    expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
  });
});

describe('a start with a data directory', () => {
  test('that another gateway uses is refused, and the other gateway continues', async () => {
    const dataDir = await unmadeDir();
    const gateway = await temporaryGateway({ DATA_DIR: dataDir });
    expect(await refusalOf({ DATA_DIR: dataDir })).toBe(
      `Another gateway (process ${gateway.pid}, ${gateway.url}) is using the data directory ${dataDir}. Stop it, or give this one its own DATA_DIR.\n`,
    );
    expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
  });
});

test('a start whose encryption key is lost names its file, and writes no other', async () => {
  const dataDir = await unmadeDir();
  const gateway = await temporaryGateway({ DATA_DIR: dataDir });
  await gateway.stop();
  const file = join(dataDir, 'encryption.key');
  const key = await readFile(file);
  await rm(file);
  expect(await refusalOf({ DATA_DIR: dataDir })).toBe(
    `The encryption keys in ${file} cannot be used (ENOENT). Restore the file from a backup, or set ENCRYPTION_KEY.\n`,
  );
  expect(existsSync(file)).toBe(false);
  await writeFile(file, key);
  const again = await temporaryGateway({ DATA_DIR: dataDir });
  expect((await again.call('frankfurter_rates', {}, gateway.key)).result).toBeDefined();
});

describe('a start with invalid presets', () => {
  const broken = presetWith('broken').replace('paths:', 'paths: [');

  test('names file and line, and leaves nothing behind', async () => {
    const presetsDir = await presetFiles({ 'a/broken.yaml': broken });
    const dataDir = await unmadeDir();
    const message = await refusalOf({ PRESETS_DIR: presetsDir, DATA_DIR: dataDir });
    expect(message).toMatch(/\/a\/broken\.yaml:\d+: \w/);
    expect(message).toContain('PRESETS_LENIENT=true');
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('a start with the sandbox', () => {
  test('is refused with DATABASE_URL, before anything is created', async () => {
    const dataDir = await unmadeDir();
    const env = {
      DATABASE_URL: 'postgres://gateway:hunter2@127.0.0.1:1/gateway',
      DATA_DIR: dataDir,
    };
    const { code, stdout, stderr } = await runGatewayCommand(['start', '--sandbox'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'The sandbox cannot use the database of DATABASE_URL, which is for real data. Unset DATABASE_URL, or start without --sandbox.\n',
    );
    expect(existsSync(dataDir)).toBe(false);
  });
});
