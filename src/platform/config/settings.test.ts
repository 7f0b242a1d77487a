import { describe, expect, test } from 'vitest';
import { readSettings, SETTINGS, SettingsError, secretsFromEnvironment } from './settings.ts';

const faultOf = (environment: Record<string, string>): string => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
  }
  return '';
};

describe('settings', () => {
  test('have their defaults when nothing is set, and when a variable is empty', () => {
    expect(readSettings({})).toMatchObject({ HOST: '127.0.0.1', PORT: 8080, REDIS_URL: undefined });
    expect(readSettings({ PORT: '' }).PORT).toBe(8080);
  });

  test('are typed', () => {
    const settings = readSettings({
      PORT: '0',
      PRESETS_LENIENT: 'true',
      ALLOWED_ORIGINS: 'https://a.example, http://b.example:81',
      BASE_URL: 'https://tools.example/',
    });
    expect(settings).toMatchObject({
      PORT: 0,
      PRESETS_LENIENT: true,
      ALLOWED_ORIGINS: ['https://a.example', 'http://b.example:81'],
      BASE_URL: 'https://tools.example',
    });
  });

  test.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PRESETS_LENIENT', 'yes'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['REDIS_URL', 'localhost:6379'],
    ['BASE_URL', 'tools.example'],
    ['ALLOWED_ORIGINS', 'https://a.example/path'],
    ['LOG_LEVEL', 'loud'],
    ['ENCRYPTION_KEY', 'c2hvcnQ='],
    ['BOOTSTRAP_API_KEY', 'tg_live_short'],
  ])('name a bad value of %s, and never repeat it', (name, value) => {
    const fault = faultOf({ [name]: value });
    expect(fault).toMatch(new RegExp(`^${name} `));
    if (name !== 'ALLOWED_ORIGINS') expect(fault.replace(name, '')).not.toContain(value);
  });

  test('name every fault at once', () => {
    const fault = faultOf({ PORT: 'x', LOG_LEVEL: 'x' });
    expect(fault.split('\n').map((line) => line.split(' ')[0])).toEqual(['PORT', 'LOG_LEVEL']);
  });

  test('that hold credentials never print them', () => {
    const settings = readSettings({
      DATABASE_URL: 'postgres://u:hunter2@db/x',
      ADMIN_PASSWORD: 'hunter2',
    });
    expect(JSON.stringify(settings)).not.toContain('hunter2');
  });

  test('each say what they mean in a sentence', () => {
    for (const { meaning } of Object.values(SETTINGS)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });
});

test('secrets are read by name and print as redacted', () => {
  const secrets = secretsFromEnvironment({ ECOS_KEY: 'abc', EMPTY: '' });
  expect(secrets('ECOS_KEY')?.reveal()).toBe('abc');
  expect(String(secrets('ECOS_KEY'))).toBe('[redacted]');
  expect(secrets('EMPTY')).toBeUndefined();
  expect(secrets('OTHER')).toBeUndefined();
});
