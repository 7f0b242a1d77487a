import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FEW_PRESETS } from '../support/few-presets.ts';
import {
  type CommandResult,
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { runHere } from '../support/run-here.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';

let dataDir: string;
let gateway: RunningGateway;
let here: Environment;
let there: Environment;

beforeAll(async () => {
  dataDir = await makeDataDir();
  gateway = await startGatewayProcess({ DATA_DIR: dataDir, PRESETS_DIR: FEW_PRESETS });
  here = { DATA_DIR: dataDir, PRESETS_DIR: FEW_PRESETS, RATE_LIMIT_PER_MINUTE: '0' };
  there = { TOOL_GATEWAY_URL: gateway.url, TOOL_GATEWAY_API_KEY: await scopedKey('operator') };
});
afterAll(async () => {
  await gateway.stop();
  await removeDir(dataDir);
});

/** Runs a command in a process, as a person does. */
const run = (line: string, env: Environment): Promise<CommandResult> =>
  runGatewayCommand(line.split(' '), env);

const scopedKey = async (scope: string): Promise<string> =>
  (await runHere(`keys create --tenant acme --name manager --scope ${scope}`, here)).stdout.trim();

const DESCRIPTION = `openapi: 3.1.0
info: { title: Echo, version: '1' }
servers: [{ url: 'https://api.example.com' }]
paths:
  /echo:
    get: { operationId: echo, description: An echo., responses: { '200': { description: Text. } } }
`;

/** Registers an API with the API key of its tenant, and resolves with its id. */
async function register(name: string, key: string): Promise<string> {
  const file = join(dataDir, 'echo.yaml');
  await writeFile(file, DESCRIPTION);
  const env = { ...there, TOOL_GATEWAY_API_KEY: key };
  expect((await runHere(`register ${file} --name ${name}`, env)).code).toBe(0);
  const { stdout } = await runHere('registrations list --json', here);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').id;
}

/** What differs between two runs, and the line that says where a command works. */
const masked = (text: string): string =>
  text
    .replace(/^(Database|Gateway): .+\n/m, '')
    .replaceAll(/tg_live_\w{43}|(?<="password": ")[^"]+/g, 'TEXT')
    .replaceAll(/tg_live_\w+/g, 'PREFIX')
    .replaceAll(/(key|ten|person|reg)_\w+/g, '$1_ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b(?:one|two)\b/g, 'TENANT');

/** Runs commands in a tenant of its own, and returns what they print. */
async function playIn(tenant: string, env: Environment): Promise<string[]> {
  const printed: string[] = [];
  const play = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await runHere(line, env);
    printed.push(masked(`> ${line}\n${code}\n${stdout}\n${stderr}`));
    return stdout;
  };
  const create = `keys create --tenant ${tenant}`;
  const {
    key: { id },
    text: key,
  } = JSON.parse(
    await play(`${create} --name report --tools frankfurter_* --daily-limit 5 --json`),
  );
  const of = `${id} --tenant ${tenant}`;
  await play(`keys show ${of}`);
  await play(`keys change ${of} --name renamed --rate-limit 60 --no-daily-limit --expires 90d`);
  await play(`keys change ${of}`);
  await play(`keys change ${of} --tools frankfurter_rates`);
  await play(`keys change ${of} --no-tools`);
  const first = await register('First', key);
  await play(`registrations list --tenant ${tenant}`);
  await play(`registrations list --tenant ${tenant} --json`);
  await play(`registrations show ${first} --tenant ${tenant}`);
  const { key: rotated } = JSON.parse(await play(`keys rotate ${of} --overlap-hours 48 --json`));
  await play(`keys rotate ${of}`);
  await play(`keys revoke ${rotated.id} --tenant ${tenant}`);
  await play(`keys list --tenant ${tenant}`);
  await play(`keys list --tenant ${tenant} --json`);
  await play(`keys hygiene --tenant ${tenant}`);
  await play(`keys revoke key_none --tenant ${tenant}`);
  await play(`tenants create ${tenant} --name again`);
  await play(`tenants create ${tenant}-new`);
  await play('tenants create Not_A_Slug');
  await play('secrets remove NOT_STORED');
  await play(`people create Ann@${tenant}.example --tenant ${tenant} --role admin --json`);
  await play(`people create ann@${tenant}.example --operator`);
  await play(`people reset-password nobody@${tenant}.example`);
  await play(`registrations list --tenant ${tenant}`);
  return printed;
}

test('commands print the same on the machine of the gateway and elsewhere', async () => {
  const printed = await playIn('one', here);
  expect(await playIn('two', there)).toEqual(printed);
  for (const base of ['USD', 'EUR', 'KRW']) await gateway.call('frankfurter_rates', { base });
  for (const line of [
    'tenants list',
    'people list',
    'people list --json',
    'keys list --tenant one',
    'trail list --all-tenants --json',
    'trail list --tenant two --gateway --json',
    'audit list --all-tenants --limit 2',
    'audit list --tenant default --tool frankfurter_rates --from 2026-01-01 --key none',
    'audit list --tenant default --tool frankfurter_rates --from 2026-01-01 --json',
    'registrations list --all-tenants --json',
  ]) {
    expect((await runHere(line, there)).stdout).toBe((await runHere(line, here)).stdout);
  }
  expect((await runHere('secrets list', there)).stdout).toMatch(/^NAME +STATE +TOOLS /);
  const reset = await run('people reset-password ann@one.example', there);
  expect(reset).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[\w-]{27}\n$/),
    stderr: `Gateway: ${gateway.url}\n`,
  });
});

test('without --tenant, the tenant of the API key is meant', async () => {
  const key = await scopedKey('admin');
  const options = `--url ${gateway.url} --key ${key}`;
  const created = await run(
    `keys create --name own --tools frankfurter_rate ${options} --json`,
    {},
  );
  expect(created.stderr).toContain('Did you mean "frankfurter_rates"?');
  const { id, tenant } = JSON.parse(created.stdout).key;
  expect(tenant).toBe('acme');
  expect((await run(`keys list ${options}`, {})).stdout).toMatch(new RegExp(`^${id} +acme `, 'm'));
  expect((await run(`keys revoke ${id} ${options}`, {})).stdout).toBe(`Revoked ${id}.\n`);
  const refused = await run(`tenants list ${options}`, {});
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `Gateway: ${gateway.url}\nThis needs a key with the scope operator.\n`,
  });
});

test('an admin lists what its tenant has', async () => {
  const env = { ...there, TOOL_GATEWAY_API_KEY: await scopedKey('admin') };
  const id = await register('Own', await scopedKey('admin'));
  const trail = (await runHere('trail list', env)).stdout;
  expect(trail).toMatch(/ registration\.created +acme /);
  expect(trail).not.toMatch(/ all +| default +/);
  expect((await runHere('audit list', env)).stdout).toMatch(/^TIME +TOOL .*\n$/);
  expect((await runHere('registrations list', env)).stdout).toContain(`${id}  acme    Own `);
  const shown = await runHere(`registrations show ${id}`, env);
  expect(shown.stdout).toBe((await runHere(`registrations show ${id}`, here)).stdout);
  const operator = 'This needs a key with the scope operator.';
  for (const [line, words] of [
    ['registrations list --all-tenants', operator],
    ['audit list --all-tenants', operator],
    ['trail list --tenant default', 'This key manages no tenant with this name.'],
    [`registrations show ${id} --document`, 'This runs only on the machine of the gateway'],
  ] as const) {
    const { code, stdout, stderr } = await runHere(line, env);
    expect([line, code, stdout, stderr]).toEqual([line, 1, '', expect.stringContaining(words)]);
  }
});

test('a key without a scope is refused, and says what to do', async () => {
  const { code, stderr } = await run('keys list', { ...there, TOOL_GATEWAY_API_KEY: gateway.key });
  expect([code, stderr]).toEqual([1, expect.stringContaining('Create one with the scope admin')]);
});
