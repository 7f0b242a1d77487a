import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { freePort } from '../../../test/support/ports.ts';
import { runWithin as run } from '../testing/run-within.ts';

/** What a proxy in front of the gateway does wrong. */
interface Mistakes {
  /** Answers itself, with this status. */
  readonly refuse?: (request: IncomingMessage) => number | undefined;
  readonly changeRequest?: (headers: OutgoingHttpHeaders) => void;
  readonly changeResponse?: (headers: OutgoingHttpHeaders, url: string) => void;
  readonly changeBody?: (text: string, url: string) => string;
}

describe('doctor', () => {
  afterEach(() => vi.unstubAllEnvs());

  const examine = async (env: Record<string, string>) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { code, stdout } = await run('doctor', '--json');
    const lines = stdout.trim().split('\n');
    return { code, found: new Map(lines.map((line) => [JSON.parse(line).step, JSON.parse(line)])) };
  };

  test('checks what a gateway needs, before the first start and beside a running one', async () => {
    const gateway = await startTestGateway();
    onTestFinished(() => gateway.close());
    const port = String(await freePort());
    const { DATA_DIR, PRESETS_DIR } = gateway.settings;
    const before = await examine({ DATA_DIR: `${DATA_DIR}-new`, PRESETS_DIR, PORT: port });
    expect(before.code).toBe(0);
    expect([...before.found.keys()]).toEqual([
      ...['settings', 'database', 'Redis', 'disk', 'clock', 'ports'],
      ...['provider keys', 'proxy', 'backups'],
    ]);
    expect(before.found.get('ports').finding).toBe(`${port} is free`);
    const beside = await examine({ DATA_DIR });
    expect(beside.found.get('ports').finding).toMatch(/^a gateway runs at http/);
    expect(beside.found.get('disk').finding).toMatch(/MiB free; audit\.db \d+ MiB, gateway\.db/);
    expect(beside.found.get('backups')).toMatchObject({ isOk: true, isWarning: true });
    const saved = `${DATA_DIR}-saved`;
    onTestFinished(() => rm(saved, { recursive: true }));
    await run('backup', saved);
    expect((await examine({})).found.get('backups').finding).toContain('is 0 days old');
  });

  test('names what is wrong, and ends with code 1', async () => {
    const port = await freePort();
    const { code, found } = await examine({
      REDIS_URL: `redis://127.0.0.1:${port}`,
      BASE_URL: 'https://tools.example.com',
      RATE_LIMIT_PER_MINUT: '3',
      DATA_DIR: join(tmpdir(), 'tool-gateway-none'),
    });
    expect(code).toBe(1);
    expect(found.get('settings').finding).toContain('Did you mean RATE_LIMIT_PER_MINUTE?');
    expect(found.get('Redis')).toMatchObject({ isOk: false });
    expect(found.get('proxy').finding).toContain('without TRUST_PROXY');
    expect((await examine({ PORT: 'x' })).found.get('settings')).toMatchObject({
      isOk: false,
      finding: 'PORT must be a whole number from 0 to 65535.',
    });
  });
});

describe('doctor oauth', () => {
  let gateway: TestGateway;
  let proxy: Server;
  let address: string;
  let mistakes: Mistakes = {};

  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    gateway = await startTestGateway({
      env: { BASE_URL: address, PORT: String(await freePort()) },
    });
    proxy = createServer((incoming, outgoing) => {
      const status = mistakes.refuse?.(incoming);
      if (status !== undefined) return void outgoing.writeHead(status).end('<html>');
      const headers: OutgoingHttpHeaders = { ...incoming.headers };
      mistakes.changeRequest?.(headers);
      const { url = '', method } = incoming;
      const target = { port: gateway.settings.PORT, path: url, method, headers };
      const forwarded = request(target, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        const changed: OutgoingHttpHeaders = { ...response.headers };
        mistakes.changeResponse?.(changed, url);
        const { 'content-length': _length, ...rest } = changed;
        outgoing.writeHead(response.statusCode ?? 500, rest);
        outgoing.end(mistakes.changeBody?.(text, url) ?? text);
      });
      incoming.pipe(forwarded);
    });
    await once(proxy.listen(port, '127.0.0.1'), 'listening');
    expect((proxy.address() as AddressInfo).port).toBe(port);
  });
  afterEach(() => {
    mistakes = {};
  });
  afterAll(async () => {
    proxy?.close();
    await gateway?.close();
  });

  const diagnose = async (url = address) => {
    const { code, stdout } = await run('doctor', 'oauth', '--url', url, '--json');
    const steps = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { code, steps, last: steps.at(-1) };
  };

  test('walks through every step', async () => {
    const { code, steps } = await diagnose();
    expect(code).toBe(0);
    expect(steps.map(({ step, isOk }) => [step, isOk])).toEqual([
      ['challenge', true],
      ['resource', true],
      ['server', true],
      ['registration', true],
      ['consent', true],
      ['tokens', true],
      ['access token', true],
    ]);
    const { stdout } = await run('doctor', 'oauth', '--url', `${address}/mcp`);
    expect(stdout).toMatch(/^ok {6}challenge {5}401 names the document/);
  });

  test.each<[string, Mistakes, string, RegExp]>([
    [
      'does not route /mcp',
      { refuse: ({ url }) => (url === '/mcp' ? 404 : undefined) },
      'challenge',
      /A proxy may route \/mcp\//,
    ],
    ['has a firewall', { refuse: () => 403 }, 'challenge', /A firewall/],
    [
      'removes the challenge',
      { changeResponse: (headers) => void delete headers['www-authenticate'] },
      'challenge',
      /OAUTH may be off/,
    ],
    [
      'keeps /.well-known',
      { refuse: ({ url }) => (url?.startsWith('/.well-known') ? 200 : undefined) },
      'resource',
      /A proxy may keep \/\.well-known/,
    ],
    [
      'adds a slash to the issuer',
      {
        changeBody: (text, url) =>
          url.includes('authorization-server') ? text.replace(/("issuer":"[^"]+)/, '$1/') : text,
      },
      'server',
      /a slash at the end included/,
    ],
    [
      'refuses registrations',
      { refuse: ({ url }) => (url === '/register' ? 403 : undefined) },
      'registration',
      /A firewall/,
    ],
    [
      'does not route /authorize',
      { refuse: ({ url }) => (url?.startsWith('/authorize') ? 404 : undefined) },
      'consent',
      /may not route \/authorize/,
    ],
    [
      'does not route /admin',
      { refuse: ({ url }) => (url?.startsWith('/admin') ? 404 : undefined) },
      'consent',
      /may not route \/admin/,
    ],
    [
      'refuses requests for tokens',
      { refuse: ({ url }) => (url === '/token' ? 403 : undefined) },
      'tokens',
      /A firewall/,
    ],
    [
      'removes Authorization',
      { changeRequest: (headers) => void delete headers['authorization'] },
      'access token',
      /may remove the header Authorization/,
    ],
  ])('finds a proxy that %s', async (_name, given, step, finding) => {
    mistakes = given;
    const { code, last } = await diagnose();
    expect([code, last.step, last.isOk]).toEqual([1, step, false]);
    expect(last.finding).toMatch(finding);
  });

  test('finds another BASE_URL, and an address without a gateway', async () => {
    const other = await diagnose(`http://127.0.0.1:${gateway.settings.PORT}`);
    expect(other.last.finding).toMatch(/BASE_URL of the gateway is probably not/);
    const nothing = await diagnose('http://127.0.0.1:9');
    expect(nothing.last.finding).toMatch(/may not be reachable/);
  });
});
