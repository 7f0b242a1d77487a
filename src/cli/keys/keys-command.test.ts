import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withoutDatabaseLine } from '../../../test/support/database-line.ts';
import { SHIPPED_PRESETS } from '../../../test/support/sandboxed-presets.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { isApiKeyText } from '../../platform/kernel/ids.ts';
import { runWithin } from '../testing/run-within.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeDataDir();
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('PRESETS_DIR', SHIPPED_PRESETS);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeDir(dataDir);
});

const run = async (line: string) =>
  withoutDatabaseLine(await runWithin('keys', ...line.split(' ')));

const createKey = async (options: string) => {
  const { code, stdout, stderr } = await run(`create --tenant acme --json ${options}`);
  const { key: created, text } = JSON.parse(stdout);
  return { code, stderr, created, text };
};

it('generate prints a key alone, without any database', async () => {
  const { code, stdout, stderr } = await runWithin('keys', 'generate');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(isApiKeyText(stdout.trimEnd())).toBe(true);
  expect(existsSync(join(dataDir, 'gateway.db'))).toBe(false);
});

it('create, rotate and list print JSON, which has the key once', async () => {
  const { text, created } = await createKey(
    '--name ci --tools kma_*,frankfurter_rates --daily-limit 5',
  );
  expect(isApiKeyText(text)).toBe(true);
  expect(created).toMatchObject({
    tenant: 'acme',
    name: 'ci',
    prefix: text.slice(0, 12),
    state: 'active',
    owner: { id: 'cli', name: null },
    allowedTools: ['kma_*', 'frankfurter_rates'],
    effectiveRateLimitPerMinute: 600,
    dailyLimit: 5,
    expiresAt: null,
  });
  const { key: rotated } = JSON.parse((await run(`rotate ${created.id} --json`)).stdout);
  expect(rotated).toMatchObject({ name: 'ci', rotatedFrom: created.id, dailyLimit: 5 });
  const { stdout } = await run('list --json');
  const [newer, older] = stdout.split('\n').slice(0, 2);
  expect(JSON.parse(newer ?? '')).toEqual(rotated);
  expect(JSON.parse(older ?? '')).toMatchObject({ id: created.id, rotatedTo: rotated.id });
  expect(stdout).not.toContain(text);
});

it('refuses what the operation refuses elsewhere', async () => {
  await createKey('--name ci');
  expect(await run(`list --tenant acme --q ${'x'.repeat(101)}`)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The input is not valid: /q must have at most 100 characters'),
  });
});

it('gives a key any limit, as an operator, and shows what of it the limit of the tenant leaves', async () => {
  const { created } = await createKey('--name ci --rate-limit 5000');
  expect(created).toMatchObject({ rateLimitPerMinute: 5000, effectiveRateLimitPerMinute: 5000 });
  expect((await run('list')).stdout).toContain(' 5000 ');
  vi.stubEnv('TENANT_RATE_LIMIT_PER_MINUTE', '900');
  expect((await run('list')).stdout).toContain(' 900 of 5000 ');
  const listed = JSON.parse((await run('list --json')).stdout);
  expect(listed).toMatchObject({ rateLimitPerMinute: 5000, effectiveRateLimitPerMinute: 900 });
});

describe('--tools', () => {
  it('takes lists with commas, more than once', async () => {
    const { created } = await createKey('--tools kma_* --tools ecos_*,frankfurter_rates');
    expect(created.allowedTools).toEqual(['kma_*', 'ecos_*', 'frankfurter_rates']);
  });

  it.each([
    ['nothing_at_all', ''],
    ['frankfurter_rate', ' Did you mean "frankfurter_rates"?'],
    ['km_*', ' Did you mean "kma_*"?'],
    ['category:wether', ' Did you mean "category:weather"?'],
    ['@acme.*', ''],
  ])('warns that %s selects no tool', async (pattern, advice) => {
    const warning = `Warning: "${pattern}" selects no tool now.${advice}\n`;
    const { code, stderr, created } = await createKey(`--tools frankfurter_*,${pattern}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: warning });
    const changed = await run(`change ${created.id} --tools ${pattern},category:weather`);
    expect(changed).toMatchObject({ code: 0, stderr: warning });
  });

  it('is taken as it is where the presets cannot be read', async () => {
    vi.stubEnv('PRESETS_DIR', join(dataDir, 'nowhere'));
    expect(await createKey('--tools km_*')).toMatchObject({ code: 0, stderr: '' });
  });
});
