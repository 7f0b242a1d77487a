import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import {
  CONNECT_CLIENT_NAMES,
  type ConnectTarget,
  connectClient,
  connectSnippet,
} from '../../access/connect/connect-clients.ts';
import {
  pythonString,
  shellWord,
  tomlString,
  typescriptString,
} from '../../access/connect/connect-quote.ts';
import { runWithin as run } from '../testing/run-within.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) {
  if (process.env['CI']) throw new Error('curl must be installed under CI.');
  process.stderr.write('curl is not installed: skipping the test that runs its snippet.\n');
}

beforeEach(() => {
  for (const name of ['TOOL_GATEWAY_API_KEY', 'HOST', 'PORT']) vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The arguments that `program` receives from a shell for a command line. */
async function argumentsOf(program: string, line: string): Promise<string[]> {
  const script = `${program}() { printf '%s\\0' "$@"; }\n${line}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  return stdout.split('\0').slice(0, -1);
}

describe('connect', () => {
  test('lists the clients that it supports', async () => {
    const { code, stdout, stderr } = await run('connect');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of CONNECT_CLIENT_NAMES) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
  });

  test('refuses an unknown client and lists the known ones', async () => {
    const { code, stdout, stderr } = await run('connect', 'netscape');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const name of CONNECT_CLIENT_NAMES) expect(stderr).toContain(name);
  });

  test.each(CONNECT_CLIENT_NAMES)(
    'prints the instructions for %s on standard error',
    async (name) => {
      const { code, stdout, stderr } = await run('connect', name, '--key', 'a-key');
      expect(code).toBe(0);
      expect(stdout).not.toContain('{{');
      expect(stderr.endsWith(`${connectClient(name).instructions}\n`)).toBe(true);
    },
  );

  test('says first how a person signs in, where that is possible', async () => {
    const { stdout, stderr } = await run('connect', 'claude-code', '--key', 'a-key');
    expect(stderr).toMatch(/^Without a key, a person signs in/);
    expect(stderr).toContain('claude mcp login tool-gateway\n\nWith an API key: Run this');
    expect(stdout).toContain('x-api-key: a-key');
    const plain = await run('connect', 'claude-code', '--url', 'http://tools.example.com');
    expect(plain.stderr).not.toContain('Without a key');
    const chat = await run('connect', 'chatgpt', '--url', 'https://tools.example.com');
    expect(chat.stdout).toContain('MCP server URL: https://tools.example.com/mcp\n');
    expect(chat.stderr).not.toContain('keys create');
  });

  test('explains how to create a key when none is set', async () => {
    const { stdout, stderr } = await run('connect', 'curl');
    expect(stdout).toContain('YOUR_API_KEY');
    expect(stderr).toContain('keys create');
  });

  test('reads address and key from the environment', async () => {
    vi.stubEnv('TOOL_GATEWAY_API_KEY', 'a-key');
    vi.stubEnv('HOST', '::');
    vi.stubEnv('PORT', '9000');
    const { stdout, stderr } = await run('connect', 'cursor');
    expect(JSON.parse(stdout).mcpServers['tool-gateway']).toEqual({
      url: 'http://127.0.0.1:9000/mcp',
      headers: { 'x-api-key': 'a-key' },
    });
    expect(stderr).not.toContain('keys create');
    vi.stubEnv('BASE_URL', 'https://tools.example.com/gateway/');
    expect((await run('connect', 'claude-ai')).stdout).toContain(
      ': https://tools.example.com/gateway/mcp\n',
    );
  });

  test('narrows the tools that the client sees', async () => {
    const narrowing = ['--tools', 'kma_*,frankfurter_rates', '--category', 'weather & more'];
    for (const name of ['cursor', 'vscode', 'windsurf', 'python-sdk', 'ai-sdk'] as const) {
      expect((await run('connect', name, ...narrowing)).stdout).toContain(
        'http://127.0.0.1:8080/mcp?category=weather%20%26%20more&tools=kma_*,frankfurter_rates',
      );
    }
    const { stdout } = await run('connect', 'stdio', ...narrowing);
    expect(JSON.parse(stdout).mcpServers['tool-gateway'].args.slice(-4)).toEqual([
      '--category',
      'weather & more',
      '--tools',
      'kma_*,frankfurter_rates',
    ]);
  });

  test.each([
    ['an invalid address', '--url', 'nonsense'],
    ['an address with a password', '--url', 'http://a:b@127.0.0.1'],
    ['a key with a line break', '--key', 'a\nb'],
  ])('refuses %s', async (_what, ...args) => {
    const { code, stdout } = await run('connect', 'curl', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('a snippet', () => {
  const target: ConnectTarget = {
    url: 'https://x.example/~a',
    key: `k'"\\$(id)\`id\`*`,
    tools: `a*,b'"`,
    command: ['node', 'main.ts'],
  };

  test('is valid JSON with the unchanged key if its language is JSON', () => {
    for (const name of CONNECT_CLIENT_NAMES) {
      if (connectClient(name).language !== 'json') continue;
      const strings: unknown[] = [];
      JSON.parse(connectSnippet(name, target), (_key, value) => strings.push(value) && value);
      expect(strings).toContain(target.key);
    }
  });

  test.each([
    ['claude-code', 'claude'],
    ['inspector', 'npx'],
    ['curl', 'curl'],
  ] as const)('for %s passes key and address unchanged through a shell', async (name, program) => {
    const args = await argumentsOf(program, connectSnippet(name, target));
    expect(args).toContain(`x-api-key: ${target.key}`);
    expect(args).toContain("https://x.example/~a/mcp?tools=a*,b'%22");
  });

  test('quotes any text for a shell', async () => {
    const text = visibleText();
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), async (words) => {
        expect(await argumentsOf('f', `f ${words.map(shellWord).join(' ')}`)).toEqual(words);
      }),
      { numRuns: 30 },
    );
  });

  test('quotes any text for TypeScript, Python and TOML', () => {
    fc.assert(
      fc.property(visibleText(), (text) => {
        expect(new Function(`return ${typescriptString(text)}`)()).toBe(text);
        expect(JSON.parse(pythonString(text))).toBe(text);
        expect(JSON.parse(tomlString(text))).toBe(text);
      }),
    );
  });
});

test('docs/clients.md has a row for every client and no others', () => {
  const page = readFileSync(resolve(ROOT, 'docs/clients.md'), 'utf8');
  const [, notes = ''] = page.split('\n## What `connect` does not print\n');
  const rows = [...(notes.split('\n## ')[0] ?? '').matchAll(/^\| `(\S+)` \|/gm)];
  expect(new Set(rows.map(([, name]) => name))).toEqual(new Set(CONNECT_CLIENT_NAMES));
});

describe('with a running gateway', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  test.runIf(hasCurl)('the curl snippet lists tools', async () => {
    const target: ConnectTarget = {
      url: gateway.url,
      key: gateway.key,
      tools: 'frankfurter_*',
      command: ['node'],
    };
    const { stdout } = await promisify(execFile)('sh', ['-c', connectSnippet('curl', target)]);
    const { tools } = JSON.parse(stdout).result;
    expect(tools).toMatchObject([{ name: 'frankfurter_rates' }]);
  });
});
