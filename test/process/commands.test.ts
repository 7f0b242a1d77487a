import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CommandResult,
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  spawnGateway,
  startGatewayProcess,
} from '../support/gateway-process.ts';
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
const run = (args: string, env: Environment = {}): Promise<CommandResult> =>
  runGatewayCommand(args.split(' '), { DATA_DIR: dataDir, ...env });

/** Runs a command that must succeed without a word on standard error; returns its output. */
async function outputOf(args: string, env?: Environment): Promise<string> {
  const { code, stdout, stderr } = await run(args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const createKey = async (options: string): Promise<string> =>
  (await outputOf(`keys create ${options}`)).trim();

/** The id of a key, which only `keys list` tells. */
async function idOf(key: string): Promise<string> {
  const line = (await outputOf('keys list'))
    .split('\n')
    .find((candidate) => candidate.includes(key.slice(0, 12)));
  return line?.split(/ +/)[0] ?? '';
}

const statusFor = async (key: string): Promise<number> =>
  (await fetch(`${gateway.url}/api/v1/tools`, { headers: { 'x-api-key': key } })).status;

describe('keys, beside a running gateway', () => {
  test('create prints the key alone, and it works at once', async () => {
    const output = await outputOf('keys create --tenant acme --name ci');
    expect(output).toMatch(/^tg_live_[0-9A-Za-z]{43}\n$/);
    expect(await statusFor(output.trim())).toBe(200);
  });

  test('list shows what a key is for and never the key', async () => {
    const key = await createKey('--tenant acme --name reports --expires 90d --tools kma_*');
    const output = await outputOf('keys list --tenant acme');
    expect(output).toMatch(/^ID +TENANT +PREFIX +NAME +STATE +EXPIRES +TOOLS\n/);
    expect(output).toMatch(/acme +tg_live_\w+ +reports +active +\d{4}-\S+Z +kma_\*/);
    expect(output).not.toContain(key);
    expect(await outputOf('keys list --tenant nobody')).not.toContain('acme');
  });

  test('create --tools makes a key that sees those tools alone', async () => {
    const key = await createKey('--tenant acme --tools kma_*');
    const answer = await fetch(`${gateway.url}/api/v1/tools`, { headers: { 'x-api-key': key } });
    const { tools } = (await answer.json()) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('kma_village_forecast');
    expect(tools.filter(({ name }) => !name.startsWith('kma_'))).toEqual([]);
    expect((await gateway.call('frankfurter_rates', {}, key)).error?.code).toBe(-32602);
  });

  test('allow changes what a key may use within about a second', async () => {
    const key = await createKey('--tenant acme --tools kma_*');
    const id = await idOf(key);
    const namesFor = async (): Promise<string[]> => {
      const answer = await fetch(`${gateway.url}/api/v1/tools?limit=200`, {
        headers: { 'x-api-key': key },
      });
      const { tools } = (await answer.json()) as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    };
    expect(await namesFor()).not.toContain('frankfurter_rates');
    expect(await outputOf(`keys allow ${id} --tools frankfurter_rates`)).toBe(
      `${id} may use frankfurter_rates.\n`,
    );
    await expect.poll(namesFor, { timeout: 3000 }).toEqual(['frankfurter_rates']);
    expect(await outputOf(`keys allow ${id} --all`)).toBe(`${id} may use all tools.\n`);
    await expect.poll(namesFor, { timeout: 3000 }).toContain('kma_village_forecast');
    expect(await run(`keys allow ${id}`)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Give either --tools with a list of names, or --all.\n',
    });
  });

  test('revoke stops a key within about a second', async () => {
    const key = await createKey('--tenant acme');
    expect(await statusFor(key)).toBe(200);
    const id = await idOf(key);
    expect(await outputOf(`keys revoke ${id}`)).toBe(`Revoked ${id}.\n`);
    await expect.poll(() => statusFor(key), { timeout: 3000 }).toBe(401);
    expect(await outputOf('keys list')).toMatch(new RegExp(`${id} .* revoked`));
  });

  test('refuse what they cannot do in one sentence', async () => {
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

test('tenants list shows every tenant', async () => {
  await createKey('--tenant globex');
  const output = await outputOf('tenants list');
  expect(output).toMatch(/^SLUG +NAME +CREATED +ID\n/);
  for (const slug of ['default', 'globex']) expect(output).toMatch(new RegExp(`^${slug} `, 'm'));
});

describe('call, on a running gateway', () => {
  const call = (args: string, key = gateway.key) =>
    run(`call ${args}`, { BASE_URL: gateway.url, TOOL_GATEWAY_API_KEY: key });

  test('prints the result, with arguments turned into what the tool takes', async () => {
    const { code, stdout, stderr } = await call('kma_ultra_short_nowcast lat=37.56 lon=126.98');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      tool: 'kma_ultra_short_nowcast',
      upstream: { status: 200, url: expect.stringContaining('nx=60') },
    });
  });

  test('takes address and key as options', async () => {
    const options = `--url ${gateway.url} --key ${gateway.key}`;
    const output = await outputOf(`call frankfurter_rates base=USD ${options}`);
    expect(JSON.parse(output)).toMatchObject({ upstream: { status: 200 } });
  });

  test.each([
    ['a wrong key', 'frankfurter_rates', 'tg_live_wrong', 'A valid API key is required.'],
    ['an unknown tool', 'no_such_tool', undefined, 'No such tool'],
    ['arguments that do not fit', 'frankfurter_rates base=1', undefined, '-32602'],
    ['an argument without a value', 'frankfurter_rates base', undefined, 'name=value'],
    ['an address that is none', 'frankfurter_rates --url nonsense', undefined, '"nonsense" is not'],
    ['no gateway', 'frankfurter_rates --url http://127.0.0.1:1', undefined, 'No gateway answers'],
  ])('says what is wrong with %s', async (_what, args, key, words) => {
    const { code, stdout, stderr } = await call(args, key);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('audit export, beside a running gateway', () => {
  const records = async (options: string): Promise<Record<string, unknown>[]> =>
    (await outputOf(`audit export ${options}`.trim()))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  test('writes one record a line, oldest first, of one tenant and one time if told so', async () => {
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

  test('refuses a tenant that is not there', async () => {
    expect(await run('audit export --tenant nobody')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no tenant nobody.\n',
    });
  });
});

test('a command whose reader leaves early ends quietly', async () => {
  const piped = spawnGateway(['presets', 'check'], {}, ['sh', '-c', '"$@" | true', 'sh']);
  await piped.ended;
  expect(piped.stderr()).toBe('');
});
