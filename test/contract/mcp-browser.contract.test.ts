import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { openRaw, type RawRequest, type RawResponse, sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, rpc, toolCall } from '../support/rpc-requests.ts';
import { until } from '../support/until.ts';
import { stateless, statelessCall } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const OWN = 'https://tools.example.com';
const ALLOWED = ['https://app.example.org', 'http://intranet.example:8443'];

let gateway: TestGateway;
/** The address on which the gateway listens; `gateway.url` is the one that clients see. */
let address: string;
beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  gateway = await startTestGateway({
    env: {
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '0',
      BASE_URL: `${OWN}/gateway`,
      ADMIN_URL: 'https://admin.example.com/console',
      ALLOWED_ORIGINS: ALLOWED.join(','),
      OAUTH: 'off',
    },
  });
});
afterAll(() => gateway.close());

const POSTED: RawRequest = {
  headers: { 'content-type': 'application/json', ...ACCEPTS_EVENTS },
  body: rpc('tools/list', { limit: 1 }),
};
const WITH_STREAM: RawRequest = { method: 'GET', path: '/mcp/sse' };

/** The status of a response that may be an endless stream. */
async function head(request: RawRequest, key: string | null, headers: object = {}) {
  const stream = await openRaw(address, {
    ...request,
    headers: { ...(key === null ? {} : { 'x-api-key': key }), ...request.headers, ...headers },
  });
  stream.close();
  return stream;
}

const ROUTES: readonly (readonly [string, RawRequest])[] = [
  ['POST /mcp', POSTED],
  ['GET /mcp/sse', WITH_STREAM],
  ['GET /api/v1/tools', { method: 'GET', path: '/api/v1/tools?limit=1' }],
];

describe.each(ROUTES)('%s from a browser', (_route, request) => {
  test.each([
    OWN,
    'https://admin.example.com',
    ...ALLOWED,
    'http://localhost',
    'http://localhost:5173',
    'https://localhost:8443',
    'http://127.0.0.1:1',
    'http://[::1]:3000',
  ])(`${verifies('mcp.origin', 'mcp.exposed-headers')}: %s is answered`, async (origin) => {
    const { status, headers } = await head(request, gateway.key, { origin });
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-expose-headers']?.toLowerCase()).toContain('www-authenticate');
    const unauthenticated = await head(request, null, { origin });
    expect(unauthenticated.status).toBe(401);
    expect(unauthenticated.headers['access-control-allow-origin']).toBe(origin);
  });

  test.each([
    'https://evil.example',
    'null',
    'http://tools.example.com',
    'https://tools.example.com:8443',
    'https://tools.example.com.evil.example',
    'https://xtools.example.com',
    'https://app.example.org.evil.example',
    'http://intranet.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.1@evil.example',
    'http://localhost:5173.evil.example',
    'file://',
    'chrome-extension://localhost',
    'localhost',
    '*',
  ])(`${verifies('mcp.origin')}: %s is refused`, async (origin) => {
    for (const key of [gateway.key, 'tg_live_wrong', null]) {
      const response = await sendRaw(address, {
        ...request,
        headers: { ...request.headers, ...(key === null ? {} : { 'x-api-key': key }), origin },
      });
      expect(response.status).toBe(403);
      expect(response.json).toEqual({ error: 'Forbidden', message: expect.any(String) });
      expect(response.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test(verifies('mcp.origin.none'), async () => {
    expect((await head(request, gateway.key)).status).toBe(200);
    expect((await head(request, null)).status).toBe(401);
    const referer = { referer: 'https://evil.example/page', 'sec-fetch-site': 'cross-site' };
    expect((await head(request, gateway.key, referer)).status).toBe(200);
  });
});

describe('a preflight', () => {
  const MCP_HEADERS = [
    'authorization',
    'x-api-key',
    'content-type',
    'accept',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'last-event-id',
  ];
  const ask = (path: string, method: string, origin: string): Promise<RawResponse> =>
    sendRaw(address, {
      method: 'OPTIONS',
      path,
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': MCP_HEADERS.join(', '),
      },
    });
  const wordsOf = (value: string | undefined): string[] =>
    (value ?? '').toLowerCase().split(/\s*,\s*/);

  test.each([
    ['/mcp', 'POST'],
    ['/mcp/sse', 'GET'],
    ['/mcp?sessionId=sse_x', 'POST'],
  ])(`${verifies('mcp.preflight')}: %s`, async (path, method) => {
    for (const origin of [OWN, 'http://localhost:6274', ALLOWED[0] ?? '']) {
      const { status, headers } = await ask(path, method, origin);
      expect([200, 204]).toContain(status);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(wordsOf(headers['access-control-allow-headers'])).toEqual(
        expect.arrayContaining(MCP_HEADERS),
      );
      expect(wordsOf(headers['access-control-allow-methods'])).toContain(method.toLowerCase());
    }
  });
});

describe('addresses that clients probe', () => {
  test.each([
    '/.well-known/nobody-knows',
    '/.well-known/oauth-authorization-servers',
    '/mcp/.well-known/openid-configuration',
  ])(`${verifies('mcp.well-known')}: %s`, async (path) => {
    for (const headers of [{}, { 'x-api-key': 'tg_live_wrong' }, { accept: 'text/html' }]) {
      const response = await sendRaw(address, { method: 'GET', path, headers });
      expect(response.status).toBe(404);
      expect(response.headers['content-type']).toMatch(/^application\/json\b/);
      expect(response.json).toEqual({ error: 'Not Found', message: expect.any(String) });
    }
  });

  const IN_WORDS = expect.stringContaining(
    'This gateway takes an API key: send it as x-api-key or Authorization: Bearer.',
  );

  test.each([
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/oauth-authorization-server/mcp'],
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp/sse?category=weather'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/.well-known/openid-configuration/mcp'],
    ['POST', '/register'],
  ])(`${verifies('mcp.oauth-probes')}: %s %s`, async (method, path) => {
    for (const headers of [
      {},
      { 'x-api-key': 'tg_live_wrong' },
      { 'x-api-key': gateway.key },
      { accept: 'text/html' },
    ]) {
      const response = await sendRaw(address, {
        method,
        path,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method === 'POST' ? { body: { redirect_uris: ['http://127.0.0.1/'] } } : {}),
      });
      expect(response.status).toBe(404);
      expect(response.headers['content-type']).toMatch(/^application\/json\b/);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(response.json).toEqual({
        error: method === 'POST' ? 'access_denied' : 'Not Found',
        message: IN_WORDS,
        error_description: response.json.message,
      });
    }
  });

  test.each(['/register', '/.well-known/oauth-protected-resource'])(
    `${verifies('mcp.oauth-probes', 'contract.405')}: PUT %s, from a browser too`,
    async (path) => {
      const headers = { accept: 'text/html' };
      const { status, json } = await sendRaw(address, { method: 'PUT', path, headers });
      expect([status, json.error]).toEqual([405, 'Method Not Allowed']);
    },
  );

  test.each([
    ['GET', '/mcp', 'POST'],
    ['DELETE', '/mcp', 'POST'],
    ['PUT', '/mcp', 'POST'],
    ['GET', '/mcp?sessionId=sse_x', 'POST'],
    ['POST', '/mcp/sse', 'GET'],
    ['DELETE', '/mcp/sse', 'GET'],
  ])(`${verifies('mcp.405')}: %s %s`, async (method, path, allowed) => {
    for (const headers of [
      { accept: 'text/event-stream' },
      { accept: '*/*', 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-session-id': 's' },
    ]) {
      const response = await sendRaw(address, {
        method,
        path,
        headers: { 'x-api-key': gateway.key, 'content-type': 'application/json', ...headers },
        ...(method === 'POST' ? { body: rpc('ping') } : {}),
      });
      expect(response.status).toBe(405);
      expect((response.headers.allow ?? '').split(/\s*,\s*/)).toContain(allowed);
      expect(response.json).toEqual({ error: 'Method Not Allowed', message: expect.any(String) });
    }
  });
});

/** What a client of one dialect can list and call at an address. */
interface Client {
  names(query: string, key?: string): Promise<string[]>;
  /** The code of a JSON-RPC error; undefined for a result. */
  call(query: string, name: string, args: object, key?: string): Promise<number | undefined>;
  /** The status of an attempt to list. */
  status(query: string): Promise<number>;
}

const post = (
  path: string,
  { headers, body }: RawRequest,
  key = gateway.key,
): Promise<RawResponse> =>
  sendRaw(address, {
    path,
    headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    body,
  });

const overPost = (list: RawRequest, call: (name: string, args: object) => RawRequest): Client => ({
  names: async (query, key) => namesIn((await post(`/mcp${query}`, list, key)).json),
  call: async (query, name, args, key) =>
    (await post(`/mcp${query}`, call(name, args), key)).json.error?.code,
  status: async (query) => (await post(`/mcp${query}`, list)).status,
});

const namesIn = ({ result }: { result: { tools: { name: string }[] } }): string[] =>
  result.tools.map(({ name }) => name);

/** Opens a stream at the address, sends one request over it, and closes it. */
async function askOverStream(query: string, body: object, key = gateway.key) {
  const path = `/mcp/sse${query}`;
  const stream = await openRaw(address, { method: 'GET', path, headers: { 'x-api-key': key } });
  await until(() => stream.text().includes('sessionId='));
  const relative = /event: endpoint\ndata: (\S+)/.exec(stream.text())?.[1] ?? '';
  const { pathname, search } = new URL(relative, `${address}/mcp/sse`);
  const endpoint = pathname + search;
  expect((await post(endpoint, { body }, key)).status).toBe(202);
  const mine = () => stream.messages().find(({ id }) => id === 1);
  await until(() => mine() !== undefined);
  stream.close();
  return mine();
}

const CLIENTS: readonly (readonly [string, Client])[] = [
  [
    'plain',
    overPost({ body: rpc('tools/list') }, (name, args) => ({ body: toolCall(name, args) })),
  ],
  [
    'Streamable HTTP',
    overPost({ headers: ACCEPTS_EVENTS, body: rpc('tools/list') }, (name, args) => ({
      headers: ACCEPTS_EVENTS,
      body: toolCall(name, args),
    })),
  ],
  ['2026-07-28', overPost(stateless('tools/list'), statelessCall)],
  [
    'HTTP+SSE',
    {
      names: async (query, key) => namesIn(await askOverStream(query, rpc('tools/list'), key)),
      call: async (query, name, args, key) =>
        (await askOverStream(query, toolCall(name, args), key)).error?.code,
      status: async (query) =>
        (await head({ method: 'GET', path: `/mcp/sse${query}` }, gateway.key)).status,
    },
  ],
];

describe.each(CLIENTS)('a list narrowed by the address, %s', (_dialect, client) => {
  const NOWCAST = 'kma_ultra_short_nowcast';
  const RATES = { base: 'USD', quotes: 'KRW' };
  const SEOUL = { lat: 37.5665, lon: 126.978 };

  test(verifies('mcp.narrow.category'), async () => {
    const all = await client.names('');
    const weather = await client.names('?category=weather');
    expect(weather).toContain(NOWCAST);
    expect(weather).not.toContain('frankfurter_rates');
    expect(weather).toEqual(all.filter((name) => weather.includes(name)));
    expect(await client.call('?category=weather', NOWCAST, SEOUL)).toBeUndefined();
    expect(await client.call('?category=weather', 'frankfurter_rates', RATES)).toBe(-32602);
    expect(await client.call('?category=economy', 'frankfurter_rates', RATES)).toBeUndefined();
  });

  test(verifies('mcp.narrow.tools'), async () => {
    const query = '?tools=kma_*,frankfurter_rates';
    const all = await client.names('');
    const names = await client.names(query);
    expect(names).toEqual(
      all.filter((name) => name.startsWith('kma_') || name === 'frankfurter_rates'),
    );
    expect(await client.names('?tools=kma_%2A%2Cfrankfurter_rates')).toEqual(names);
    expect(await client.call(query, 'frankfurter_rates', RATES)).toBeUndefined();
    expect(await client.call(query, 'fixture_uncached', {})).toBe(-32602);
    expect(await client.names('?tools=frankfurter_rates')).toEqual(['frankfurter_rates']);
  });

  test(`${verifies('mcp.narrow.category', 'mcp.narrow.tools')}, both`, async () => {
    const query = '?category=weather&tools=kma_*,frankfurter_rates';
    const names = await client.names(query);
    expect(names).toContain(NOWCAST);
    expect(names.every((name) => name.startsWith('kma_'))).toBe(true);
    expect(await client.call(query, 'frankfurter_rates', RATES)).toBe(-32602);
  });

  test.each(['finance', 'Weather', 'weather/kma', '__proto__'])(
    `${verifies('mcp.narrow.unknown-category')}: %s`,
    async (category) => {
      expect(await client.status(`?category=${encodeURIComponent(category)}`)).toBe(400);
    },
  );

  test(verifies('mcp.narrow.allow-list'), async () => {
    const { key } = await gateway.createKey('default', { allowedTools: ['kma_*', 'fixture_*'] });
    const names = await client.names(`?tools=${NOWCAST},frankfurter_rates`, key);
    expect(names).toEqual([NOWCAST]);
    for (const query of [
      '',
      '?tools=*',
      '?tools=frankfurter_rates',
      '?tools=kma_*,frankfurter_*',
    ]) {
      expect(await client.call(query, 'frankfurter_rates', RATES, key)).toBe(-32602);
    }
    const everything = await client.names('?tools=*', key);
    expect(everything).toEqual(await client.names('', key));
    expect(everything.every((name) => /^(kma|fixture)_/.test(name))).toBe(true);
    expect(await client.call('?tools=fixture_*', 'fixture_uncached', {}, key)).toBeUndefined();
    expect(await client.call('?tools=kma_*', 'fixture_uncached', {}, key)).toBe(-32602);
  });
});
