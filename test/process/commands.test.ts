import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutDatabaseLine } from '../support/database-line.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import {
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  spawnGateway,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { runHere } from '../support/run-here.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';

let dataDir: string;
let gateway: RunningGateway;

beforeAll(async () => {
  dataDir = await makeDataDir();
  gateway = await startGatewayProcess({ DATA_DIR: dataDir });
});
afterAll(async () => {
  await gateway.stop();
  await removeDir(dataDir);
});

/** Runs a command on the data directory of the running gateway. */
const run = async (args: string, env: Environment = {}) =>
  withoutDatabaseLine(await runHere(args, { DATA_DIR: dataDir, ...env }));

/** Runs a command that must succeed without output on standard error; returns its output. */
async function outputOf(args: string, env?: Environment): Promise<string> {
  const { code, stdout, stderr } = await run(args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const createKey = async (options: string): Promise<string> =>
  (await outputOf(`keys create ${options}`)).trim();

/** The id of a key, which only `keys list` shows. */
async function idOf(key: string): Promise<string> {
  const line = (await outputOf('keys list'))
    .split('\n')
    .find((candidate) => candidate.includes(key.slice(0, 12)));
  return line?.split(/ +/)[0] ?? '';
}

const statusFor = async (key: string): Promise<number> =>
  (await fetch(`${gateway.url}/api/v1/tools`, { headers: { 'x-api-key': key } })).status;

describe('keys, beside a running gateway', () => {
  test('create prints only the key, which works at once', async () => {
    const args = ['keys', 'create', '--tenant', 'acme', '--name', 'ci'];
    const ended = await runGatewayCommand(args, { DATA_DIR: dataDir });
    const { code, stdout, stderr } = withoutDatabaseLine(ended);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^tg_live_[0-9A-Za-z]{43}\n$/);
    expect(await statusFor(stdout.trim())).toBe(200);
  });

  test('list shows the purpose of a key and never the key', async () => {
    const key = await createKey('--tenant acme --name reports --expires 90d --tools kma_*');
    const output = await outputOf('keys list --tenant acme');
    expect(output).toMatch(
      /^ID +TENANT +PREFIX +NAME +STATE +EXPIRES +LAST USED +TOOLS +LISTS +PER MINUTE +PER DAY +OWNER\n/,
    );
    expect(output).toMatch(
      /acme +tg_live_\w+ +reports +active +\d{4}-\S+Z +never +kma_\* +all +default +unlimited +cli/,
    );
    expect(output).not.toContain(key);
    expect((await run('keys list --tenant acne')).stderr).toContain('Did you mean acme?');
  });

  test('change changes what a key may use within about a second', async () => {
    const key = await createKey('--tenant acme --tools kma_*');
    const id = await idOf(key);
    const namesFor = async (): Promise<string[]> => {
      const response = await fetch(`${gateway.url}/api/v1/tools?limit=200`, {
        headers: { 'x-api-key': key },
      });
      const { tools } = (await response.json()) as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    };
    expect(await namesFor()).not.toContain('frankfurter_rates');
    await outputOf(`keys change ${id} --tools frankfurter_rates`);
    await expect.poll(namesFor).toEqual(['frankfurter_rates']);
    await outputOf(`keys change ${id} --no-tools`);
    await expect.poll(namesFor).toContain('kma_village_forecast');
  });

  test('revoke stops a key within about a second', async () => {
    const key = await createKey('--tenant acme');
    expect(await statusFor(key)).toBe(200);
    const id = await idOf(key);
    expect(await outputOf(`keys revoke ${id}`)).toBe(`Revoked ${id}.\n`);
    await expect.poll(() => statusFor(key)).toBe(401);
    expect(await outputOf('keys list')).toMatch(new RegExp(`${id} .* revoked`));
  });

  test('change changes and removes what a key has, and a running gateway follows', async () => {
    const key = await createKey(
      '--tenant acme --rate-limit 1 --daily-limit 500 --tools category:weather',
    );
    expect(await statusFor(key)).toBe(200);
    expect(await statusFor(key)).toBe(429);
    const id = await idOf(key);
    const options = '--name renamed --rate-limit 700 --no-daily-limit --no-tools --expires 12h';
    expect(await outputOf(`keys change ${id} ${options}`)).toBe(`Changed ${id}.\n`);
    await expect.poll(() => statusFor(key)).toBe(200);
    expect(await outputOf('keys list')).toMatch(
      new RegExp(`${id} .* renamed +active +\\d{4}-\\S+Z +never +all +all +700 +unlimited +cli`),
    );
    expect(await run(`keys change ${id}`)).toMatchObject({ code: 1, stdout: '' });
    expect(await run(`keys change ${id} --rate-limit 0`)).toMatchObject({ code: 2, stdout: '' });
  });

  test('rotate prints the new key; the old one works until the overlap ends', async () => {
    const key = await createKey('--tenant acme --name rotated');
    const id = await idOf(key);
    const { code, stdout, stderr } = await run(`keys rotate ${id} --overlap-hours 12`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^tg_live_[0-9A-Za-z]{43}\n$/)]);
    expect(stderr).toMatch(new RegExp(`^key_\\w+ replaces ${id}, which ends at 20\\S+Z\\.\n$`));
    const next = stdout.trim();
    expect([await statusFor(key), await statusFor(next)]).toEqual([200, 200]);
    const nextId = await idOf(next);
    expect((await run(`keys rotate ${nextId} --overlap-hours 0`)).code).toBe(0);
    await expect.poll(() => statusFor(next)).toBe(401);
    expect(await statusFor(key)).toBe(200);
    expect(await run(`keys rotate ${id}`)).toMatchObject({ code: 1, stdout: '' });
    expect(await run(`keys rotate ${id} --overlap-hours 169`)).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  test('refuse invalid requests with one sentence', async () => {
    expect(await run('keys revoke key_unknown')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no API key "key_unknown".\n',
    });
    const { code, stderr } = await run('keys create --tenant Not_A_Slug');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^A tenant's slug is .*\n$/);
  });
});

describe('trail list', () => {
  test('shows who changed what, newest first, optionally for one tenant', async () => {
    const key = await createKey('--tenant hooli --name ci');
    const id = await idOf(key);
    await outputOf(`keys change ${id} --tools kma_*`);
    await outputOf(`keys revoke ${id}`);
    const output = await outputOf('trail list --tenant hooli');
    expect(output).toMatch(/^TIME +ACTOR +ACTION +TENANT +SUBJECT +DETAILS\n/);
    const actions = [...output.matchAll(/ cli +(\S+) +hooli +(\S+) /g)].map((match) => match[1]);
    expect(actions).toEqual(['key.revoked', 'key.changed', 'key.created', 'tenant.created']);
    expect(output).not.toContain(key);
    const lines = (await outputOf('trail list --tenant hooli --limit 2 --json')).split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toMatchObject([
      { tenantSlug: 'hooli', actor: 'cli', action: 'key.revoked', subjectId: id },
      { action: 'key.changed', details: { allowedTools: ['kma_*'] } },
    ]);
    expect(await outputOf('trail list')).toMatch(/ start +key\.created +default /);
  });

  test('refuses an unknown tenant, and an invalid number', async () => {
    const { code, stderr } = await run('trail list --tenant nobody');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no tenant nobody.\n' });
    expect((await run('trail list --limit 0')).code).toBe(2);
  });
});

describe('secrets rotate', () => {
  test('encrypts with a new key beside a running gateway, which starts with it again', async () => {
    const ownDir = await makeDataDir();
    const env = { DATA_DIR: ownDir, PRESETS_DIR: FEW_PRESETS };
    const first = await startGatewayProcess(env);
    const output = await outputOf('secrets rotate', env);
    expect(output).toMatch(/^Encrypted 0 stored credentials with key [0-9a-f]{16}\.\n$/);
    const health = await fetch(`${first.url}/health/ready`);
    await first.stop();
    const again = await startGatewayProcess(env);
    await again.stop();
    expect(health.status).toBe(200);
    const keys = (await readFile(join(ownDir, 'encryption.key'), 'utf8')).trim().split('\n');
    expect(keys).toHaveLength(2);
    expect(output).not.toContain(keys[0]);
    await removeDir(ownDir);
  });

  test('explains what to set where the database is shared', async () => {
    const { code, stderr } = await run('secrets rotate', {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('ENCRYPTION_KEY is not set. Set it to the new key');
  });
});

describe('call, on a running gateway', () => {
  const call = (args: string, key = gateway.key) =>
    run(`call ${args}`, { BASE_URL: gateway.url, TOOL_GATEWAY_API_KEY: key });

  test('prints the result, and converts arguments to the types of the tool', async () => {
    const { code, stdout, stderr } = await call('kma_ultra_short_nowcast lat=37.56 lon=126.98');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      tool: 'kma_ultra_short_nowcast',
      upstream: { status: 200, url: expect.stringContaining('nx=60') },
    });
  });

  test('accepts address and key as options', async () => {
    const options = `--url ${gateway.url} --key ${gateway.key}`;
    const output = await outputOf(`call frankfurter_rates base=USD ${options}`);
    expect(JSON.parse(output)).toMatchObject({ upstream: { status: 200 } });
  });
});

describe('audit export, beside a running gateway', () => {
  const records = async (options: string): Promise<Record<string, unknown>[]> =>
    (await outputOf(`audit export ${options}`.trim()))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  test('writes one record per line, oldest first, optionally for one tenant and period', async () => {
    const key = await createKey('--tenant initech');
    const calls: (string | undefined)[] = [];
    for (const base of ['USD', 'EUR', 'KRW']) {
      calls.push((await gateway.call('frankfurter_rates', { base }, key)).result?.auditId);
    }
    const mine = await records('--tenant initech');
    expect(mine.map(({ auditId }) => auditId)).toEqual(calls);
    const second = String(mine[1]?.['timestamp']);
    const third = String(mine[2]?.['timestamp']);
    expect(await records(`--tenant initech --from ${second}`)).toEqual(mine.slice(1));
    expect(await records(`--tenant initech --from ${second} --to ${third}`)).toEqual([mine[1]]);
    expect((await records('')).length).toBeGreaterThanOrEqual(3);
  });
});

describe('audit list, beside a running gateway', () => {
  test('shows the newest records that match, as a table or as lines of JSON', async () => {
    const key = await createKey('--tenant umbrella');
    const good = await gateway.call('frankfurter_rates', { base: 'CZK' }, key);
    await gateway.call('frankfurter_rates', { base: 7 }, key);
    const table = await outputOf('audit list --tenant umbrella');
    expect(table).toMatch(/^TIME +TOOL +OUTCOME +CAUSE +DETAIL +CACHE +MS +KEY +CLIENT +ID\n/);
    expect(table.trim().split('\n')).toHaveLength(3);
    expect(table).toMatch(/frankfurter_rates +error +arguments +invalid_arguments /);
    const found = async (options: string) =>
      (await outputOf(`audit list --tenant umbrella --json ${options}`))
        .split('\n')
        .filter(Boolean);
    expect(await found('--limit 1')).toHaveLength(1);
    expect(await found('--error upstream_timeout')).toEqual([]);
    expect(await found('--origin caller --cause arguments')).toHaveLength(1);
    expect(await found('--origin key')).toEqual([]);
    const [line = ''] = await found('--status ok --upstream-status 2xx --cache-status MISS');
    expect(JSON.parse(line).auditId).toBe(good.result?.auditId);
    const { host } = new URL(JSON.parse(line).upstream.url);
    expect(await found(`--upstream ${host} --status ok`)).toEqual([line]);
    expect(await found('--upstream unknown.example')).toEqual([]);
    expect((await run('audit list --status good')).code).toBe(2);
  });

  test('keys list says when each key was last used', async () => {
    const lastUse = async (): Promise<string[]> =>
      (await outputOf('keys list --tenant umbrella --json'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).lastUsedAt);
    await expect.poll(lastUse).toEqual([expect.stringMatching(/^20\S+Z$/)]);
  });

  test('the same filters export CSV', async () => {
    const csv = await outputOf('audit export --tenant umbrella --status error --format csv');
    expect(csv).toMatch(/^\uFEFFauditId,timestamp,/);
    expect(csv.trim().split('\r\n')).toHaveLength(2);
  });
});

describe('audit dead-letters, beside a running gateway', () => {
  test('writes one dead letter per line, and nothing without any', async () => {
    expect(await outputOf('audit dead-letters')).toBe('');
    const file = new DatabaseSync(join(dataDir, 'audit.db'), { timeout: 5000 });
    file.exec(`INSERT INTO audit_dead_letters (source, row, reason, buried_at_ms)
      VALUES ('audit_records', '{"audit_id":"aud_1"}', '23514: no', 0)`);
    file.close();
    const [line = '', end] = (await outputOf('audit dead-letters')).split('\n');
    expect(JSON.parse(line)).toEqual({
      id: 1,
      at: '1970-01-01T00:00:00.000Z',
      source: 'audit_records',
      reason: '23514: no',
      row: { audit_id: 'aud_1' },
    });
    expect(end).toBe('');
  });

  test('does not create a missing audit log', async () => {
    const elsewhere = await makeDataDir();
    const { code, stderr } = await run('audit dead-letters', { DATA_DIR: elsewhere });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${elsewhere} contains no audit log. If DATA_DIR`),
    });
    expect(await readdir(elsewhere)).toEqual([]);
    await removeDir(elsewhere);
  });
});

test('a command ends quietly when its reader closes early', async () => {
  const piped = spawnGateway(['presets', 'check'], {}, ['sh', '-c', '"$@" | true', 'sh']);
  await piped.ended;
  expect(piped.stderr()).toBe('');
});

describe('audit verify', () => {
  test('confirms an unchanged log in use, and names the seal of a changed record', async () => {
    const dir = await makeDataDir();
    const env = { DATA_DIR: dir, PRESETS_DIR: FEW_PRESETS };
    const own = await startGatewayProcess(env);
    for (let i = 0; i < 5; i++) await own.call('frankfurter_rates');
    expect(await outputOf('audit verify', env)).toBe(
      'Checked 0 seals with 0 records.\nNot sealed yet: 5 records.\nThe audit log is intact.\n',
    );
    await own.stop();
    const [, anchor = ''] = /"anchor":"([^"]+)"/.exec(own.stderr()) ?? [];
    expect(await outputOf(`audit verify --anchor ${anchor}`, env)).toBe(
      `Checked 1 seal with 5 records.\nNot sealed yet: 0 records.\nNewest anchor: ${anchor}\nThe audit log is intact.\n`,
    );

    const file = new DatabaseSync(join(dir, 'audit.db'));
    file.exec("UPDATE audit_records SET tool = 'other' WHERE n = 2");
    file.close();
    const { code, stdout, stderr } = await run('audit verify', env);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The audit log was changed: seal 1.\n',
    });
    expect(stdout).toMatch(/\nSeal 1 of records until 20\S+Z: A record was changed\.\n$/);
    const other = `2${anchor.slice(1)}`;
    const report = JSON.parse((await run(`audit verify --anchor ${other} --json`, env)).stdout);
    expect(report).toMatchObject({ intact: false, finding: { seq: 1 } });
    await removeDir(dir);
  });

  test('explains an invalid anchor', async () => {
    expect(await run('audit verify --anchor x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('seq:hash'),
    });
  });
});
