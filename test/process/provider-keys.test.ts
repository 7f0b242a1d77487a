import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withoutDatabaseLine } from '../support/database-line.ts';
import {
  type CommandResult,
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  spawnGateway,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';

const NAME = 'DART_API_KEY';
const VALUE = 'recognisable-provider-key';

let dataDir: string;
let gateway: RunningGateway;
beforeAll(async () => {
  dataDir = await makeDataDir();
  gateway = await startGatewayProcess({ DATA_DIR: dataDir }, []);
});
afterAll(async () => {
  await gateway.stop();
  await removeDir(dataDir);
});

const run = (args: string, env: Environment = {}): Promise<CommandResult> =>
  runGatewayCommand(args.split(' '), { DATA_DIR: dataDir, ...env });

/** Runs a command with a line on standard input. */
async function runWith(line: string, args: string, env: Environment = {}): Promise<CommandResult> {
  const pipe = ['sh', '-c', 'printf "%s\\n" "$LINE" | "$@"', 'sh'];
  const environment = { DATA_DIR: dataDir, LINE: line, ...env };
  const command = spawnGateway(args.split(' '), environment, pipe);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

const set = (name: string, line: string, env?: Environment): Promise<CommandResult> =>
  runWith(line, `secrets set ${name}`, env);

const stateOf = async (name: string, env?: Environment): Promise<string | undefined> => {
  const { stdout } = await run('secrets list', env);
  const row = stdout.split('\n').find((line) => line.startsWith(`${name} `));
  return row?.split(/ {2,}/)[1];
};

const isNoted = async (): Promise<boolean> => {
  const response = await fetch(`${gateway.url}/api/v1/tools/dart_search_disclosures`, {
    headers: { 'x-api-key': gateway.key },
  });
  const { description } = (await response.json()) as { description: string };
  return description.includes(`Needs the secret ${NAME}`);
};

test('secrets set, list and remove work beside a running gateway, and never print a value', async () => {
  expect([await isNoted(), await stateOf(NAME)]).toEqual([true, 'not set']);
  expect(withoutDatabaseLine(await set(NAME, VALUE))).toEqual({
    code: 0,
    stdout: `Stored ${NAME}.\n`,
    stderr: '',
  });
  await until(async () => !(await isNoted()));
  expect(await stateOf(NAME)).toBe('stored');
  const trail = (await run('trail list --json')).stdout.split('\n')[0] ?? '';
  expect(JSON.parse(trail)).toMatchObject({
    actor: 'cli',
    action: 'provider_key.set',
    subjectId: NAME,
    details: {},
  });
  expect(await run(`secrets remove ${NAME}`)).toMatchObject({
    code: 0,
    stdout: `Removed ${NAME}.\n`,
  });
  await until(isNoted);
  const database = await readFile(join(dataDir, 'gateway.db'));
  expect(database.includes(VALUE)).toBe(false);
  expect(`${trail}${gateway.stdout()}${gateway.stderr()}`).not.toContain(VALUE);
});

test('secrets own origins says where APIs of a tenant may send its key', async () => {
  await runWith(VALUE, `secrets own set ${NAME} --tenant default`);
  const ORIGIN = 'https://api.example.com';
  const allow = (origins: string) =>
    run(`secrets own origins ${NAME} --tenant default --origins ${origins}`);
  expect(await allow(ORIGIN)).toMatchObject({
    code: 0,
    stdout: `Origins of ${NAME}: ${ORIGIN}.\n`,
  });
  const { stdout } = await run('secrets own list --tenant default --json');
  const keys = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(keys.find(({ name }) => name === NAME)).toMatchObject({
    ...{ name: NAME, owner: 'tenant', isSet: true, policy: 'shared' },
    ...{ changedAt: expect.any(String), origins: [ORIGIN], waiting: [] },
  });
  const wrong = await allow('api.example.com');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('must be an origin')]);
  expect(await allow('')).toMatchObject({ code: 0, stdout: `Origins of ${NAME}: none.\n` });
  await run(`secrets own remove ${NAME} --tenant default`);
});

test('secrets set says that the environment wins', async () => {
  const env = { [NAME]: 'given' };
  const { code, stderr } = await set(NAME, VALUE, env);
  expect([code, stderr]).toEqual([0, expect.stringContaining('which wins')]);
  expect(await stateOf(NAME, env)).toBe('environment (also stored)');
});
