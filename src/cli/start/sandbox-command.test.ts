import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartupError } from '../../platform/kernel/error.ts';
import { readSandboxSettings } from './sandbox-command.ts';

describe('a gateway with the sandbox', () => {
  it.each([{}, { DATA_DIR: '' }])('has its own data directory, for the environment %j', (env) => {
    expect(readSandboxSettings(env).DATA_DIR).toBe(resolve('data-sandbox'));
  });

  it('uses a data directory that is set as it is', () => {
    expect(readSandboxSettings({ DATA_DIR: '/srv/samples' }).DATA_DIR).toBe('/srv/samples');
  });

  it('refuses the database of real data, without its password', () => {
    const env = { DATABASE_URL: 'postgres://gateway:hunter2@127.0.0.1/gateway' };
    expect(() => readSandboxSettings(env)).toThrow(StartupError);
    expect(() => readSandboxSettings(env)).toThrow(
      /Unset DATABASE_URL, or start without --sandbox/,
    );
    expect(() => readSandboxSettings(env)).not.toThrow(/hunter2/);
  });
});
