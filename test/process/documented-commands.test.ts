import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOT_ENV } from '../deployment/deployments.ts';
import {
  cleanEnvironment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';
import {
  type DocumentedCommand,
  documentedCommands,
  RULES,
  ruleOf,
} from './documented-commands.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMANDS = documentedCommands();

describe('the table of documented commands', () => {
  test('has a rule for every command: run it here, or say which test does or why none can', () => {
    expect(COMMANDS.length).toBeGreaterThan(90);
    expect(COMMANDS.filter((command) => !ruleOf(command))).toEqual([]);
  });

  test('has no rule without a command, and names tests that exist', () => {
    const used = new Set(COMMANDS.map(ruleOf));
    expect(RULES.filter((rule) => !used.has(rule))).toEqual([]);
    const files = RULES.flatMap((rule) => ('runBy' in rule ? [rule.runBy] : []));
    expect(files.filter((file) => !existsSync(resolve(ROOT, file)))).toEqual([]);
  });
});

/** One directory and one gateway, in which a reader enters every command of every page. */
let dir: string;
let gateway: RunningGateway;
let names: readonly (readonly [RegExp, string])[];
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dir = await makeDataDir();
  const presets = join(dir, 'presets');
  await mkdir(join(dir, 'sandbox/samples/economy'), { recursive: true });
  await mkdir(presets);
  await symlink('../sandbox/samples', join(presets, 'samples'));
  await writeFile(join(dir, 'key.txt'), 'a-service-key\n');
  const dataDir = join(dir, 'data');
  gateway = await startGatewayProcess({
    DATA_DIR: dataDir,
    PRESETS_EXTRA_DIRS: presets,
    ALLOW_PRIVATE_UPSTREAMS: 'true',
  });
  const practice = `${gateway.sandboxUrl}/practice/openapi.yaml`;
  names = [
    [
      /npm run -s cli -- presets/g,
      `PRESETS_DIR=${presets} node ${ROOT}/bin/tool-gateway.mjs presets`,
    ],
    [/npm run -s cli --/g, `node ${ROOT}/bin/tool-gateway.mjs`],
    [/http:\/\/127\.0\.0\.1:8080/g, gateway.url],
    [/https:\/\/api\.example\.com\/openapi\.yaml/g, practice],
    [/DATA_DIR=data-sandbox/g, `DATA_DIR=${dataDir}`],
    [/\/var\/lib\/restored/g, join(dir, 'restored')],
    [/YOUR_API_KEY|tg_live_\.\.\./g, gateway.key],
    [/key_\.\.\./g, await keyId(dataDir)],
    [/reg_…/g, await registeredApi(practice)],
  ];
  env = {
    ...cleanEnvironment({ DATA_DIR: dataDir, BASE_URL: gateway.url }),
    KEY: gateway.key,
    GATEWAY: gateway.url,
    TOOL_GATEWAY_API_KEY: gateway.key,
  };
});
afterAll(async () => {
  await gateway.stop();
  await removeDir(dir);
});

/** The id of a key that may be changed and revoked. */
async function keyId(dataDir: string): Promise<string> {
  const options = { DATA_DIR: dataDir };
  await runGatewayCommand(['keys', 'create', '--tenant', 'other'], options);
  const { stdout } = await runGatewayCommand(['keys', 'list', '--tenant', 'other'], options);
  return /key_\w+/.exec(stdout)?.[0] ?? '';
}

/** The id of a registered API. */
async function registeredApi(practice: string): Promise<string> {
  const origin = practice.replace('/openapi.yaml', '');
  const auth = { type: 'bearer', token: 'practice-token' };
  const document = (await (await fetch(practice)).text()).replace('/practice', origin);
  const wanted = { name: 'Reading List', spec_raw: document, auth };
  const headers = { 'x-api-key': gateway.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(wanted) };
  const { status_url } = (await (await fetch(`${gateway.url}/api/v1/register`, init)).json()) as {
    status_url: string;
  };
  let job: { progress?: number } = {};
  await until(async () => {
    job = (await (await fetch(`${gateway.url}${status_url}`, { headers })).json()) as typeof job;
    return job.progress === 1;
  });
  const registrations = await (
    await fetch(`${gateway.url}/api/v1/registrations`, { headers })
  ).text();
  return /reg_\w+/.exec(registrations)?.[0] ?? '';
}

/** The command with the names of this gateway. A variable that it sets is printed. */
function textHere({ text }: DocumentedCommand): string {
  const here = names.reduce((all, [name, value]) => all.replace(name, value), text);
  const [, variable] = /^export (\w+)=/.exec(here) ?? [];
  return variable ? `${here}\necho "$${variable}"` : here;
}

async function run(command: DocumentedCommand) {
  const shell = promisify(execFile)(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', textHere(command)],
    {
      cwd: dir,
      env,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return await shell.then(
    ({ stdout }) => ({ exitCode: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ exitCode: code as number, stdout, stderr }),
  );
}

test.for(COMMANDS.filter((command) => 'prints' in (ruleOf(command) ?? {})))(
  '$page: $text',
  async (command) => {
    const rule = ruleOf(command);
    if (!rule || !('prints' in rule)) throw new Error('Only commands with an output are run here.');
    const { exitCode, stdout, stderr } = await run(command);
    expect({ exitCode, stderr }).toEqual({
      exitCode: rule.exitCode ?? 0,
      stderr: rule.exitCode ? expect.any(String) : '',
    });
    expect(stdout).toMatch(rule.prints);
    if (command.text.startsWith('cat > ')) await useNewPresets();
  },
);

/** As it would by itself, seconds later. */
async function useNewPresets(): Promise<void> {
  gateway.kill('SIGHUP');
  await until(() => gateway.stderr().includes('; tools or toolsets have changed'));
}

test('the lines of .env in docs/operations/deployment.md are those that compose.yaml needs', async () => {
  const lines = (await readFile(join(dir, '.env'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => line.split('=')[0])).toEqual(Object.keys(DOT_ENV));
});
