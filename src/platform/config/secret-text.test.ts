import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { MAX_SECRET_FILE_BYTES, readSecretText, SettingsError } from './secret-text.ts';
import { readSettings, SETTINGS, secretsFromEnvironment } from './settings.ts';

let dir: string;
beforeAll(async () => {
  dir = await makeDataDir();
});
afterAll(() => removeDir(dir));

/** The path of a new file with this content. */
async function fileWith(content: string | Buffer): Promise<string> {
  const path = join(dir, `${Math.random()}`);
  await writeFile(path, content);
  return path;
}

describe('a secret in a file', () => {
  it.each([
    ['as it is', 'a secret'],
    ['without its newline', 'a secret\n'],
    ['without a newline of Windows', 'a secret\r\n'],
    ['without a byte order mark', '\uFEFFa secret'],
  ])('is read %s', async (_how, content) => {
    expect(readSecretText({ NAME_FILE: await fileWith(content) }, 'NAME')).toBe('a secret');
  });

  it('may have the largest size', async () => {
    const longest = 'x'.repeat(MAX_SECRET_FILE_BYTES);
    expect(readSecretText({ NAME_FILE: await fileWith(longest) }, 'NAME')).toBe(longest);
  });

  it('is not looked for if the variable of the file is empty', () => {
    expect(readSecretText({ NAME: 'value', NAME_FILE: '' }, 'NAME')).toBe('value');
    expect(readSecretText({ NAME_FILE: '' }, 'NAME')).toBeUndefined();
  });

  it.each([
    ['is empty', ''],
    ['is empty', ' \n'],
    ['has several lines', 'hunter2\nhunter2\n'],
    ['has several lines', 'hunter2\n\n'],
    ['is not text in UTF-8', Buffer.from('hunter2', 'utf16le').fill(0xff, 0, 1)],
    [`has more than ${MAX_SECRET_FILE_BYTES} bytes`, 'hunter2'.repeat(10_000)],
  ])('is refused if it %s, and never quoted', async (what, content) => {
    const path = await fileWith(content);
    const read = () => readSecretText({ NAME_FILE: path }, 'NAME');
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(
      `NAME_FILE: ${path} ${what}. Set it to the path of a file that contains only the secret, as one line.`,
    );
    expect(read).not.toThrow(/hunter2/);
  });

  it('is refused if it cannot be read, or is not a file', async () => {
    expect(() => readSecretText({ NAME_FILE: join(dir, 'absent') }, 'NAME')).toThrow(
      'absent cannot be read (ENOENT). Set it to the path',
    );
    await mkdir(join(dir, 'directory'));
    expect(() => readSecretText({ NAME_FILE: join(dir, 'directory') }, 'NAME')).toThrow(
      'directory is not a file. Set it',
    );
  });

  it('is refused beside the variable itself', async () => {
    const environment = { NAME: 'hunter2', NAME_FILE: await fileWith('hunter3') };
    expect(() => readSecretText(environment, 'NAME')).toThrow(
      /^NAME and NAME_FILE are both set\. Unset one of them\.$/,
    );
  });
});

describe('settings', () => {
  const SECRETS = {
    DATABASE_URL: 'postgres://gateway:hunter2@db/gateway',
    REDIS_URL: 'redis://:hunter2@cache',
    ENCRYPTION_KEY: Buffer.alloc(32, 'a').toString('base64'),
    BOOTSTRAP_API_KEY: `tg_live_${'a'.repeat(43)}`,
    ADMIN_PASSWORD: 'hunter2',
    OIDC_CLIENT_SECRET: 'hunter2',
  };

  it.each(Object.entries(SECRETS))('read %s from a file', async (name, value) => {
    const settings = readSettings({ [`${name}_FILE`]: await fileWith(`${value}\n`) });
    expect(settings[name as keyof typeof SECRETS]?.reveal()).toBe(value);
  });

  it('read several former keys from one file', async () => {
    const key = SECRETS.ENCRYPTION_KEY;
    const path = await fileWith(`${key}, ${key}\n`);
    const { ENCRYPTION_KEY_PREVIOUS: keys } = readSettings({ ENCRYPTION_KEY_PREVIOUS_FILE: path });
    expect(keys.map((each) => each.reveal())).toEqual([key, key]);
  });

  it('read each of their secrets from a file', () => {
    const secrets = Object.entries(SETTINGS).filter(([, setting]) => 'isSecret' in setting);
    expect(secrets.map(([name]) => name).sort()).toEqual(
      [...Object.keys(SECRETS), 'ENCRYPTION_KEY_PREVIOUS'].sort(),
    );
    const looksSecret = /SECRET|PASSWORD|KEY(?!_PREFIX)|^(DATABASE|REDIS)_URL$/;
    expect(Object.keys(SETTINGS).filter((name) => looksSecret.test(name))).toEqual(
      secrets.map(([name]) => name),
    );
  });

  it('do not read files for other settings', () => {
    expect(readSettings({ PORT_FILE: '/nowhere' }).PORT).toBe(8080);
  });

  it('name every file that cannot be used at once', () => {
    const environment = { ADMIN_PASSWORD_FILE: '/nowhere', REDIS_URL_FILE: '/nowhere', PORT: 'x' };
    expect(() => readSettings(environment)).toThrow(
      /^PORT .*\nREDIS_URL_FILE: .*\nADMIN_PASSWORD_FILE: .*$/,
    );
  });
});

it('the secrets of presets may be in files, too', async () => {
  const secrets = secretsFromEnvironment({ ECOS_KEY_FILE: await fileWith('abc\n') });
  expect(secrets('ECOS_KEY')?.reveal()).toBe('abc');
});
