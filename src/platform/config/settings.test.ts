import { describe, expect, test } from 'vitest';
import {
  misspeltSettings,
  readSettings,
  SETTINGS,
  SettingsError,
  secretsFromEnvironment,
} from './settings.ts';

const messageOf = (environment: Record<string, string>): string => {
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

  test('have typed values', () => {
    const settings = readSettings({
      PORT: '0',
      PRESETS_LENIENT: 'true',
      ALLOWED_ORIGINS: 'https://a.example, http://b.example:81',
      BASE_URL: 'https://tools.example/',
      PRESETS_EXTRA_DIRS: '/a/b, /c/,/a/b',
    });
    expect(settings).toMatchObject({
      PORT: 0,
      PRESETS_LENIENT: true,
      ALLOWED_ORIGINS: ['https://a.example', 'http://b.example:81'],
      BASE_URL: 'https://tools.example',
      PRESETS_EXTRA_DIRS: ['/a/b', '/c'],
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
    ['PRESETS_EXTRA_DIRS', Array.from({ length: 17 }, (_, n) => `/no/${n}`).join()],
    ['LOG_LEVEL', 'loud'],
    ['ENCRYPTION_KEY', 'c2hvcnQ='],
    ['BOOTSTRAP_API_KEY', 'tg_live_short'],
  ])('name a bad value of %s, and never repeat it', (name, value) => {
    const error = messageOf({ [name]: value });
    expect(error).toMatch(new RegExp(`^${name} `));
    if (name !== 'ALLOWED_ORIGINS') expect(error.replace(name, '')).not.toContain(value);
  });

  test('report every wrong value at once', () => {
    const error = messageOf({ PORT: 'x', LOG_LEVEL: 'x' });
    expect(error.split('\n').map((line) => line.split(' ')[0])).toEqual(['PORT', 'LOG_LEVEL']);
  });

  test('never print credentials', () => {
    const settings = readSettings({
      DATABASE_URL: 'postgres://u:hunter2@db/x',
      ADMIN_PASSWORD: 'hunter2',
    });
    expect(JSON.stringify(settings)).not.toContain('hunter2');
  });

  test('each have a meaning in full sentences', () => {
    for (const { meaning } of Object.values(SETTINGS)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });
});

test('names that are nearly settings are found, and those of other programs are not', () => {
  const environment = {
    DATABSE_URL: 'x',
    LOGLEVEL: 'x',
    ENCRYPTION_KEY_FIEL: 'x',
    BASE_URL: 'x',
    ADMIN_PASSWORD_FILE: 'x',
    HOME: 'x',
    PORTS: 'x',
    KOSIS_API_KEY: 'x',
  };
  expect(misspeltSettings(environment)).toEqual([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['ENCRYPTION_KEY_FIEL', 'ENCRYPTION_KEY_FILE'],
  ]);
});

test('reads secrets by name, and prints them as redacted', () => {
  const secrets = secretsFromEnvironment({ ECOS_KEY: 'abc', EMPTY: '' });
  expect(secrets('ECOS_KEY')?.reveal()).toBe('abc');
  expect(String(secrets('ECOS_KEY'))).toBe('[redacted]');
  expect(secrets('EMPTY')).toBeUndefined();
  expect(secrets('OTHER')).toBeUndefined();
});

test('headers for a collector are percent-encoded', () => {
  const { OTEL_EXPORTER_OTLP_HEADERS: headers } = readSettings({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b, x-team=data',
  });
  expect(headers.map(([name, value]) => [name, value.reveal()])).toEqual([
    ['authorization', 'Bearer a=b'],
    ['x-team', 'data'],
  ]);
});

test.each([
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%hunter2'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@collector.example'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', 'hunter2'],
  ['ACCESS_LOG', 'hunter2'],
  ['LOG_FORMAT', 'hunter2'],
])('an invalid value is refused: %s=%s, without repeating it', (name, value) => {
  const read = () => readSettings({ [name]: value });
  expect(read).toThrow(name);
  expect(read).not.toThrow(/hunter2/);
});
