import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectOutput } from '../support/collect-output.ts';
import {
  type Environment,
  encodeCall,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { listenAnywhere } from '../support/ports.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { presetWith, WITHOUT_NETWORK } from './temporary.ts';

// What newcomers do wrong in the first hour, and the sentence that tells them what to do instead.

let dir: string;
/** A gateway with the shipped presets, without keys of providers and without network. */
let gateway: RunningGateway;
let takenPort: number;
let closePort: () => void;

const file = (name: string): string => join(dir, name);

beforeAll(async () => {
  dir = await makeDataDir();
  await mkdir(file('presets/a'), { recursive: true });
  await writeFile(
    file('presets/a/broken.yaml'),
    presetWith('broken').replace('paths:', 'paths: ['),
  );
  await writeFile(file('two-lines'), 'one\ntwo\n');
  await writeFile(file('empty'), '\n');
  await writeFile(file('utf-16.env'), Buffer.from('\uFEFFPORT=8080', 'utf16le'));
  const taken = await listenAnywhere();
  takenPort = taken.port;
  closePort = () => void taken.server.close();
  const env = {
    DATA_DIR: file('running'),
    NODE_OPTIONS: WITHOUT_NETWORK,
    DATABSE_URL: 'postgres://gateway:hunter2@127.0.0.1:1/gateway',
    // What npm passes on of `npm start --sandbox`.
    npm_lifecycle_event: 'start',
    npm_config_sandbox: 'true',
  };
  gateway = await startGatewayProcess(env, []);
});
afterAll(async () => {
  await gateway.stop();
  closePort();
  await removeDir(dir);
});

/** The last words of a command that fails as people expect it to: without a stack, and without output. */
async function failureOf(
  args: readonly string[],
  env: Environment,
): Promise<[number | null, string]> {
  const { code, stdout, stderr } = await runGatewayCommand(args, { PORT: '0', ...env });
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^ +at |node:internal/m);
  return [code, stderr];
}

test('a misspelt setting, and an option that npm has kept, are warned of', () => {
  expect(gateway.stderr()).toContain(
    'DATABSE_URL is not a setting, and is ignored. Did you mean DATABASE_URL?',
  );
  expect(gateway.stderr()).toContain('For made-up data, run: npm start -- --sandbox');
  expect(gateway.stderr()).not.toContain('hunter2');
});

describe('a setting', () => {
  // A start reports all of them at once.
  const MISTAKES: readonly (readonly [setting: string, value: string, answer: string])[] = [
    ['PORT', '80a', 'PORT must be a whole number from 0 to 65535.'],
    ['WORKERS', 'all', 'WORKERS must be a whole number from 0 to 64, or auto: one for each core.'],
    ['BASE_URL', 'tools.example.com', 'BASE_URL must be an address that starts with http:// or'],
    [
      'DATABASE_URL',
      'mysql://db/x',
      'DATABASE_URL must be an address that starts with postgres://',
    ],
    ['REDIS_URL', 'localhost:6379', 'REDIS_URL must be an address that starts with redis:// or'],
    ['ENCRYPTION_KEY', 'hunter2', '32 bytes in base64. Create one with: openssl rand -base64 32.'],
    ['BOOTSTRAP_API_KEY', 'hunter2', 'Unset it, and the first start creates a key.'],
    ['ADMIN_EMAIL', 'admin', 'ADMIN_EMAIL must be an e-mail address.'],
    ['TRUST_PROXY', 'true', 'Set the number of proxies in front of the gateway, such as 1'],
    ['MEMORY_LIMIT_BYTES', '512MB', 'MEMORY_LIMIT_BYTES must be a whole number from'],
    ['ALLOWED_ORIGINS', 'a.example', 'is not an origin such as https://app.example.com.'],
    ['ALLOW_PRIVATE_UPSTREAMS', 'yes', 'ALLOW_PRIVATE_UPSTREAMS must be true or false.'],
    ['LOG_LEVEL', 'verbose', 'LOG_LEVEL must be one of trace, debug, info,'],
    ['ADMIN_PASSWORD_FILE', '/nowhere', 'cannot be read (ENOENT). Set it to the path of a file'],
    [
      'ENCRYPTION_KEY_PREVIOUS_FILE',
      'two-lines',
      'has several lines. Set it to the path of a file that',
    ],
    [
      'OIDC_CLIENT_SECRET',
      'hunter2',
      'OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE are both set. Unset one of them.',
    ],
  ];
  let answers: readonly string[];
  beforeAll(async () => {
    const [code, stderr] = await failureOf(['start'], {
      ...Object.fromEntries(MISTAKES),
      ENCRYPTION_KEY_PREVIOUS_FILE: file('two-lines'),
      OIDC_CLIENT_SECRET_FILE: file('two-lines'),
    });
    expect(code).toBe(1);
    expect(stderr).not.toContain('hunter2');
    answers = stderr.split('\n');
  });

  test.each(MISTAKES)('%s=%s', (setting, _value, answer) => {
    const name = setting.replace(/_FILE$/, '');
    const given = answers.filter((line) => line.startsWith(name) && line.includes(answer));
    expect(given, answers.join('\n')).toHaveLength(1);
  });
});

describe.concurrent('a start', () => {
  test.each<[what: string, env: () => Environment, answer: string, args?: string[]]>([
    [
      'on a port that is taken',
      () => ({ PORT: String(takenPort) }),
      'is in use. Stop the process that uses it, or choose another port with PORT.',
    ],
    [
      'on an address of another machine',
      () => ({ HOST: '192.0.2.1' }),
      'Use 127.0.0.1 for this machine only, or 0.0.0.0 for every network.',
    ],
    [
      'with the data directory of a running gateway',
      () => ({ DATA_DIR: file('running') }),
      'Stop it, or give this one its own DATA_DIR.',
    ],
    [
      'with a file as its data directory',
      () => ({ DATA_DIR: file('empty') }),
      'is not a directory. Set DATA_DIR to a directory that the gateway can write to.',
    ],
    [
      'without the presets, as from another folder',
      () => ({ PRESETS_DIR: file('nowhere') }),
      'Set PRESETS_DIR and PRESETS_EXTRA_DIRS to directories that hold <category>/<name>.yaml files.',
    ],
    [
      'with a preset that is not valid',
      () => ({ PRESETS_DIR: file('presets') }),
      'Correct these files, or set PRESETS_LENIENT=true to skip them:',
    ],
    [
      'with the sandbox on the database of real data',
      () => ({ DATABASE_URL: 'postgres://gateway:hunter2@127.0.0.1:1/gateway' }),
      'Unset DATABASE_URL, or start without --sandbox.',
      ['--sandbox'],
    ],
    [
      'with half of single sign-on',
      () => ({ OIDC_ISSUER: 'https://id.example.com' }),
      'Set OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and BASE_URL, too.',
    ],
    [
      'with an empty file for a key of a provider',
      () => ({ DART_API_KEY_FILE: file('empty') }),
      'is empty. Set it to the path of a file that contains only the secret, as one line.',
    ],
    [
      'with a .env file of Windows Notepad in UTF-16',
      () => ({}),
      'is not text in UTF-8. Give the path of a file with a line NAME=value for each setting.',
      ['--env-file', 'utf-16.env'],
    ],
  ])('%s', async (what, env, answer, args = []) => {
    const words = args.map((word) => (word.endsWith('.env') ? file(word) : word));
    const dataDir = file(`data of a start ${what}`);
    const [code, stderr] = await failureOf(['start', ...words], { DATA_DIR: dataDir, ...env() });
    expect([code, stderr]).toEqual([1, expect.stringContaining(answer)]);
    expect(stderr).not.toContain('hunter2');
  });

  test('on an old Node.js, where npm could not install another', async () => {
    const root = resolve(import.meta.dirname, '../..');
    await mkdir(file('old/bin'), { recursive: true });
    for (const name of ['bin/tool-gateway.mjs', 'package.json']) {
      await copyFile(join(root, name), join(file('old'), name));
    }
    const old = `Object.defineProperty(process, 'versions', { value: { node: '18.0.0' } });`;
    const child = spawn(process.execPath, [
      `--import=data:text/javascript,${encodeURIComponent(old)}`,
      join(file('old'), 'bin/tool-gateway.mjs'),
      'start',
    ]);
    const stderr = collectOutput(child.stderr);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(stderr()).toContain('Install Node.js 24 or newer and try again.');
  });
});

describe.concurrent('a command', () => {
  const CALL = ['call', 'frankfurter_rates'];
  test.each<[what: string, args: readonly string[], code: number, answer: string]>([
    ['that is misspelt', ['strat'], 2, '(Did you mean start?)'],
    ['with a misspelt option', ['start', '--sanbox'], 2, '(Did you mean --sandbox?)'],
    [
      'without the tenant of a key',
      ['keys', 'create'],
      2,
      "option '--tenant <slug>' not specified",
    ],
    ['for an unknown client', ['connect', 'claud'], 2, 'Allowed choices are ai-sdk, chatgpt,'],
    ['with a misspelt provider key', ['secrets', 'set', 'DATA_KEY'], 1, 'Names: DART_API_KEY,'],
    ['without an API key', CALL, 1, 'Give an API key with --key or TOOL_GATEWAY_API_KEY.'],
    [
      'without a gateway',
      [...CALL, '--key', 'x', '--url', 'http://127.0.0.1:1'],
      1,
      'Start it with "npm start", or give its address with --url.',
    ],
    [
      'with a wrong API key',
      [...CALL, '--key', 'tg_live_wrong', '--url', 'URL'],
      1,
      '"npm run -s cli -- keys create --tenant default" creates a key.',
    ],
    [
      'with an argument without =',
      [...CALL, 'base', '--key', 'KEY', '--url', 'URL'],
      1,
      'Write name=value.',
    ],
    [
      'for a misspelt tool',
      ['call', 'frankfurter_rate', '--key', 'KEY', '--url', 'URL'],
      1,
      'Did you mean frankfurter_rates?',
    ],
    [
      'with https for http',
      [...CALL, '--key', 'KEY', '--url', 'https://127.0.0.1:1'],
      1,
      'No gateway responds at https://127.0.0.1:1.',
    ],
  ])('%s', async (what, args, code, answer) => {
    const words = args.map((word) => ({ URL: gateway.url, KEY: gateway.key })[word] ?? word);
    const result = await failureOf(words, { DATA_DIR: file(`data of a command ${what}`) });
    expect(result).toEqual([code, expect.stringContaining(answer)]);
  });
});

describe('a request', () => {
  interface Request {
    readonly path?: string;
    readonly body?: string;
    readonly key?: string | null;
    readonly type?: string;
  }
  const called = (name: string, args: object): Request => ({ body: encodeCall(name, args) });

  async function answerOf({ path = '/mcp', body, key, type }: Request): Promise<[number, string]> {
    const response = await fetch(gateway.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': type ?? 'application/json',
        ...(key === null ? {} : { 'x-api-key': key ?? gateway.key }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = (await response.json()) as { message?: string; error: { message?: string } };
    return [response.status, answer.message ?? answer.error.message ?? ''];
  }

  test.each<[what: string, request: Request, status: number, answer: string]>([
    ['without an API key', { key: null, body: '{}' }, 401, 'A valid API key is required.'],
    [
      'with a wrong API key',
      { key: 'tg_live_wrong', body: '{}' },
      401,
      'A valid API key is required.',
    ],
    ['at a wrong address', { path: '/v1/tools' }, 404, 'GET /docs describes all addresses.'],
    ['with GET in place of POST', {}, 405, 'This address supports only POST.'],
    ['as a form', { body: 'a=b', type: 'text/plain' }, 415, 'Send the body as application/json.'],
    ['with single quotes', { body: "{'id':1}" }, 400, 'The request body is not valid JSON.'],
    [
      'without jsonrpc',
      { body: '{"method":"tools/list"}' },
      200,
      'The member jsonrpc must be "2.0".',
    ],
    [
      'with an unknown method',
      { body: '{"jsonrpc":"2.0","id":1,"method":"tool/call"}' },
      200,
      'Available: tools/list, tools/call.',
    ],
    ['for a misspelt tool', called('frankfurter_rate', {}), 200, 'Did you mean frankfurter_rates?'],
    [
      'with a misspelt argument',
      called('frankfurter_rates', { bse: 'USD' }),
      200,
      'Did you mean "base"?',
    ],
    [
      'with a number for a text',
      called('frankfurter_rates', { base: 5 }),
      200,
      'send it in quotes.',
    ],
    [
      'without an argument',
      called('airkorea_sido_realtime', {}),
      200,
      '"sidoName" is required: Province',
    ],
    [
      'for a misspelt category',
      { path: '/mcp?category=wether', ...called('frankfurter_rates', {}) },
      400,
      'Available: culture, economy, weather.',
    ],
    [
      'with a misspelt parameter',
      { path: '/api/v1/tools?limt=3' },
      400,
      '"limt" is not a parameter. Parameters: ',
    ],
    [
      'for a tool whose provider key is missing',
      called('airkorea_sido_realtime', { sidoName: '서울' }),
      200,
      'apply for this dataset at https://www.data.go.kr/data/15073861/openapi.do.',
    ],
    [
      'without network',
      called('frankfurter_rates', { base: 'USD' }),
      200,
      'the network of the gateway. Started with --sandbox, the gateway answers with made-up data',
    ],
  ])('%s', async (_what, request, status, answer) => {
    expect(await answerOf(request)).toEqual([status, expect.stringContaining(answer)]);
  });
});
