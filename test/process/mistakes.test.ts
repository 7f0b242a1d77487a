import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { WITHOUT_NETWORK } from './temporary.ts';

// What newcomers do wrong in the first hour, and the sentence that tells them what to do instead.

let dir: string;
/** A gateway with the shipped presets, without keys of providers and without network. */
let gateway: RunningGateway;

const file = (name: string): string => join(dir, name);

beforeAll(async () => {
  dir = await makeDataDir();
  await writeFile(file('two-lines'), 'one\ntwo\n');
  await writeFile(file('empty'), '\n');
  await writeFile(file('utf-16.env'), Buffer.from('\uFEFFPORT=8080', 'utf16le'));
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
});

describe.concurrent('a command', () => {
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
    [
      'without an API key',
      ['call', 'frankfurter_rates'],
      1,
      'Give an API key with --key or TOOL_GATEWAY_API_KEY.',
    ],
  ])('%s', async (what, args, code, answer) => {
    const result = await failureOf(args, { DATA_DIR: file(`data of a command ${what}`) });
    expect(result).toEqual([code, expect.stringContaining(answer)]);
  });
});
