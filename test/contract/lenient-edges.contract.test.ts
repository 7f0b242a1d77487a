import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { rpc, toolCall } from '../support/rpc-requests.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { initialize } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

/** A tool with an argument whose name hosts use, too. */
const ACTION_PRESET = `
openapi: 3.1.0
info: { title: Action, version: '1' }
servers: [{ url: 'https://action.example' }]
paths:
  /action:
    get:
      operationId: fixture_action
      summary: Takes an action
      parameters: [{ name: action, in: query, schema: { type: string } }]
      responses: { '200': { description: ok } }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { RATE_LIMIT_PER_MINUTE: '0', TENANT_RATE_LIMIT_PER_MINUTE: '0' },
    presets: { action: ACTION_PRESET },
  });
});
afterAll(() => gateway.close());

describe('a header that cannot be a key', () => {
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await gateway.json('/api/v1/tools?limit=1', { key: null, headers })).status;

  test.each([
    ['Basic', 'Basic dXNlcjpwYXNz'],
    ['an empty value', ''],
    ['a placeholder', 'Bearer none'],
    ['a token of another service', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
    ['Digest', 'Digest username="a", realm="b"'],
    ['a cut key', `Bearer ${newApiKeyText().slice(0, -1)}`],
  ])(`%s ${verifies('contract.one-key')}`, async (_, authorization) => {
    expect(await statusWith({ authorization, 'x-api-key': gateway.key })).toBe(200);
    expect(await statusWith({ authorization })).toBe(401);
    expect(await statusWith({ authorization, 'x-api-key': newApiKeyText() })).toBe(401);
  });

  test('counts as little in x-api-key', async () => {
    const authorization = `Bearer ${gateway.key}`;
    for (const placeholder of ['', 'none', 'YOUR_KEY', gateway.key]) {
      expect(await statusWith({ authorization, 'x-api-key': placeholder })).toBe(200);
    }
    expect(await statusWith({ authorization, 'x-api-key': newApiKeyText() })).toBe(401);
  });
});

describe(verifies('contract.slash'), () => {
  const ask = (path: string, init: Parameters<TestGateway['fetch']>[1] = {}) =>
    gateway.fetch(path, { redirect: 'manual', ...init });

  test.each([
    '/api/v1/tools',
    '/api/v1/tools/frankfurter_rates',
    '/api/v1/audit',
    '/registry/tools',
    '/openapi.json',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server/mcp',
  ])('GET %s/', async (path) => {
    const [without, with_] = await Promise.all([ask(path), ask(`${path}/`)]);
    expect([without.status, with_.status]).toEqual([200, 200]);
    expect(await with_.text()).toBe(await without.text());
  });

  test.each(['/health', '/health/detailed', '/docs', '/admin'])('GET %s/', async (path) => {
    expect((await ask(`${path}/`)).status).toBe(200);
  });

  test('a query follows the slash', async () => {
    const { body } = await gateway.json('/api/v1/tools/?limit=1');
    expect(body.tools).toHaveLength(1);
    expect((await ask('/api/v1/tools/?limits=1')).status).toBe(400);
  });

  test('two slashes, and a slash within a name, are other addresses', async () => {
    for (const path of ['/mcp//', '/mcp%2F', '/registry/tools//', '/registry//tools']) {
      expect((await ask(path)).status).toBe(404);
    }
  });

  test('POST /mcp/ is JSON-RPC, with its query', async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    };
    const { body } = await gateway.json('/mcp/?mode=search', init);
    expect(body.result.tools).toHaveLength(4);
    expect((await ask('/mcp/')).status).toBe(405);
    const refused = await ask('/mcp/', { ...init, key: null });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain(
      '/.well-known/oauth-protected-resource/mcp"',
    );
  });

  test('a stream of /mcp/sse/ names the address for messages from there', async () => {
    for (const [query, endpoint] of [
      ['', '../mcp'],
      ['/?category=economy', '../../mcp'],
    ] as const) {
      const stream = await openSse(gateway.url, gateway.key, query);
      await until(() => stream.events.length > 1);
      const { data = '' } = stream.events[1] ?? {};
      stream.close();
      expect(data.startsWith(`${endpoint}?sessionId=${stream.clientId}`)).toBe(true);
      expect(new URL(data, `${gateway.url}/mcp/sse${query}`).pathname).toBe('/mcp');
    }
  });

  test('pages of every origin may call the addresses of sign-in, and no others', async () => {
    const headers = { origin: 'https://host.example' };
    for (const path of ['/token/', '/revoke/', '/register/']) {
      expect((await ask(path, { method: 'OPTIONS', headers })).status).toBe(204);
    }
    for (const path of ['/mcp/', '/token/x', '/authorize/']) {
      expect((await ask(path, { method: 'OPTIONS', headers })).status).toBe(403);
    }
  });
});

describe(verifies('mcp.initialize.sign'), () => {
  const post = (body: object, headers: Record<string, string>) =>
    gateway.json('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  test.each([
    ['application/json', { accept: 'application/json' }],
    ['*/*', { accept: '*/*' }],
    ['none', {}],
  ])('Accept: %s', async (_, accept) => {
    const opened = await post(initialize('2025-03-26'), accept);
    expect(opened.headers.get('content-type')).toMatch(/^application\/json/);
    expect(opened.body.result.protocolVersion).toBe('2025-03-26');
    const session = { ...accept, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    expect(session['mcp-session-id']).toMatch(/^[!-~]+$/);
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await post(initialized, session)).status).toBe(202);
    expect((await post(rpc('ping'), session)).body.result).toEqual({});
    const listed = await post(rpc('tools/list', { limit: 1 }), session);
    expect(listed.body.result.tools[0]).toHaveProperty('title');
    const called = await post(toolCall('frankfurter_rates'), session);
    expect(called.headers.get('content-type')).toMatch(/^application\/json/);
    expect(called.body.result.content).toHaveLength(1);
    const ended = await gateway.fetch('/mcp', { method: 'DELETE', headers: session });
    expect(ended.status).toBe(405);
  });

  test('a client that shows in its headers that it speaks MCP gets no session id', async () => {
    for (const headers of [
      { accept: 'application/json, text/event-stream' },
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-session-id': 'mine' },
    ]) {
      const opened = await post(initialize('2025-11-25'), headers);
      expect(opened.body.result.protocolVersion).toBe('2025-11-25');
      expect(opened.headers.has('mcp-session-id')).toBe(false);
    }
  });

  test('pages may read the session id, and send what traces need', async () => {
    const preflight = await gateway.fetch('/mcp', {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000' },
    });
    expect(preflight.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['traceparent', 'tracestate']));
  });
});

const TOOL_LISTS = [
  ['plain', {}],
  ['Streamable HTTP', { 'mcp-protocol-version': '2025-06-18' }],
] as const;

describe(verifies('contract.null'), () => {
  const post = (body: object, headers: Record<string, string> = {}, path = '/mcp') =>
    gateway.json(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  test.each(TOOL_LISTS)('in tools/list: %s', async (_, headers) => {
    const all = await post(rpc('tools/list'), headers);
    for (const params of [
      null,
      { cursor: null },
      { cursor: '' },
      { limit: null, category: null, query: null, _meta: null },
    ]) {
      const { body } = await post({ ...rpc('tools/list'), params }, headers);
      expect(body.result.tools).toEqual(all.body.result.tools);
    }
    const first = await post(rpc('tools/list', { limit: 2, cursor: null }), headers);
    expect(first.body.result.tools).toHaveLength(2);
  });

  test.each(TOOL_LISTS)('in tools/call: %s', async (_, headers) => {
    const call = { ...toolCall('frankfurter_rates'), _clientId: null };
    const nothing = { _clientId: null, _meta: null };
    const members = [
      { arguments: null },
      { arguments: { base: null, _view: null, _where: null, _fields: null, _limit: null } },
      { arguments: { _clientId: null } },
    ];
    for (const given of members) {
      const params = { name: 'frankfurter_rates', ...given, ...nothing };
      const { body } = await post({ ...call, params }, headers);
      expect(body.result).toMatchObject({ outcome: 'ok', data: expect.any(Array) });
    }
  });

  test('in other methods', async () => {
    const [, [, headers]] = TOOL_LISTS;
    expect((await post({ ...rpc('ping'), params: null }, headers)).body.result).toEqual({});
    const completion = {
      ref: { type: 'ref/resource', uri: 'codes://{kind}/{name}' },
      argument: { name: 'name', value: 'Haeun' },
    };
    for (const context of [null, { arguments: null }, { arguments: { kind: null } }]) {
      const { body } = await post(rpc('completion/complete', { ...completion, context }), headers);
      expect(body.result.completion.values).toContain('Haeundae-gu');
    }
  });

  test('in the registration of a client', async () => {
    const registration = {
      client_name: null,
      redirect_uris: ['http://127.0.0.1:3000/cb'],
      token_endpoint_auth_method: null,
      grant_types: null,
      response_types: null,
      scope: null,
      contacts: null,
      logo_uri: null,
      jwks: null,
    };
    const { status, body } = await post(registration, {}, '/register');
    expect(status).toBe(201);
    expect(body.token_endpoint_auth_method).toBe('client_secret_basic');
    expect((await post({ redirect_uris: null }, {}, '/register')).status).toBe(400);
  });

  test('in what manages keys, but where null means something', async () => {
    const { key } = await gateway.createKey('default', { scope: 'admin' });
    const ask = (method: string, path: string, body: object) =>
      gateway.json(`/api/v1/admin/tenants/_/keys${path}`, {
        method,
        key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const created = await ask('POST', '', {
      name: 'made',
      description: 'kept',
      mode: null,
      scope: null,
    });
    expect(created.status).toBe(200);
    const { id, revision } = created.body.key;
    const named = await ask('PATCH', `/${id}`, { revision, name: null, description: null });
    expect(named.body).toMatchObject({ name: 'made', description: null });
    expect((await ask('POST', '', { name: null })).status).toBe(400);
  });
});

describe('messages', () => {
  const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

  test.each(TOOL_LISTS)(`${verifies('contract.mark')}: %s`, async (_, headers) => {
    for (const message of [rpc('tools/list', { limit: 1 }), [toolCall('frankfurter_rates')]]) {
      const body = Buffer.concat([MARK, Buffer.from(JSON.stringify(message))]);
      if (Array.isArray(message) && headers !== TOOL_LISTS[0][1]) continue;
      const response = await gateway.json('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      expect([response.body].flat()[0]).toHaveProperty('result');
    }
  });

  test('a second mark, or one within the message, is not JSON', async () => {
    for (const text of ['\uFEFF\uFEFF{}', '{\uFEFF}']) {
      expect((await gateway.rpc(text)).body.error.code).toBe(-32700);
    }
  });

  test.each(TOOL_LISTS)(`${verifies('contract.tool-id')}: %s`, async (_, headers) => {
    const { body } = await gateway.json('/api/v1/tools/frankfurter_rates');
    for (const call of [
      toolCall(body.id),
      toolCall('call_tool', { name: body.id, arguments: {} }),
    ]) {
      const response = await gateway.json('/mcp?mode=search', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(call),
      });
      expect(response.body.result).toMatchObject({ outcome: 'ok', tool: 'frankfurter_rates' });
    }
  });

  test('an id of a tool that the key may not use is unknown', async () => {
    const { body } = await gateway.json('/api/v1/tools/frankfurter_rates');
    const { key } = await gateway.createKey('default', { allowedTools: ['kma_*'] });
    expect((await gateway.call(body.id, {}, key)).body.error.code).toBe(-32602);
  });

  test(`_clientId beside params ${verifies('contract.clientId-places')}`, async () => {
    const [chosen, other] = await Promise.all([
      openSse(gateway.url, gateway.key),
      openSse(gateway.url, gateway.key),
    ]);
    const call = { ...toolCall('frankfurter_rates'), _clientId: chosen.clientId };
    const { auditId } = (await gateway.rpc(call)).body.result;
    await until(() => chosen.messages().some(({ params }) => params.auditId === auditId));
    expect(other.messages()).toEqual([]);
    chosen.close();
    other.close();
  });
});

/** Calls a tool at an address; the result as a plain client gets it, or the error. */
const callAt = async (path: string, name: string, args: unknown, key = gateway.key) => {
  const { body } = await gateway.json(path, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rpc('tools/call', { name, arguments: args })),
  });
  return body;
};

describe(verifies('contract.lenient-own-tools'), () => {
  const search = (name: string, args: unknown) => callAt('/mcp?mode=search', name, args);

  test.each([
    ['find_tools', { query: 'exchange rate', limit: '3' }],
    ['find_tools', { query: 'exchange rate', limit: null }],
    ['find_tools', { query: ['exchange rate'], limit: [3] }],
    ['find_tools', { query: 'exchange rate', limit: '' }],
    ['describe_tools', { names: 'frankfurter_rates' }],
    ['describe_tools', { names: 'frankfurter_rates, frankfurter_currencies' }],
    ['describe_tools', { names: '["frankfurter_rates"]' }],
    ['describe_tools', { names: 'economy.frankfurter.frankfurter_rates' }],
  ])('%s %j', async (name, args) => {
    const { result } = await search(name, args);
    expect(result.data).toMatch(/frankfurter_rates — /);
  });

  test.each([
    ['an object', { base: 'EUR' }],
    ['a text', '{"base":"EUR"}'],
    ['a text with white space', ' {\n "base": "EUR"\n}\n'],
    ['a long text', `{"base":"EUR"${' '.repeat(5000)}}`],
    ['a text with a list', '{"base":["EUR"]}'],
  ])('call_tool with arguments as %s', async (_, given) => {
    const { result } = await search('call_tool', { name: 'frankfurter_rates', arguments: given });
    expect(result).toMatchObject({ tool: 'frankfurter_rates', outcome: 'ok' });
    expect(result.upstream.url).toContain('base=EUR');
  });

  test('call_tool without arguments, as null or as an empty text', async () => {
    for (const given of [null, '', '{}']) {
      const { result } = await search('call_tool', { name: 'frankfurter_rates', arguments: given });
      expect(result.outcome).toBe('ok');
    }
  });

  test('find_code with its point as a text', async () => {
    const { result } = await search('find_code', {
      kind: 'district',
      near: '{"lat":35.16,"lon":129.16}',
      limit: '1',
    });
    expect(result.data).toHaveLength(1);
  });

  test.each([
    ['call_tool', { name: 'frankfurter_rates', arguments: 'base=EUR' }],
    ['call_tool', { name: 'frankfurter_rates', arguments: '["EUR"]' }],
    ['call_tool', { name: 'frankfurter_rates', arguments: '['.repeat(70) + ']'.repeat(70) }],
    ['call_tool', { name: 'frankfurter_rates', arguments: `{"base":"${'x'.repeat(270_000)}"}` }],
    ['find_tools', { query: 'rate', limit: '30' }],
    ['find_tools', { query: null }],
    ['describe_tools', { names: [] }],
    ['find_tools', { query: 'rate', limits: 3 }],
  ])('what is not plain stays refused: %s (row %#)', async (name, args) => {
    expect((await search(name, args)).error.code).toBe(-32602);
  });

  test('the tools of management, all of them', async () => {
    const { key } = await gateway.createKey('default', { scope: 'operator' });
    const manage = (name: string, args: unknown) => callAt('/mcp?mode=manage', name, args, key);
    const hygiene = await manage('keys_list', { limit: '2', cursor: null, toolCallId: 'call_1' });
    expect(JSON.parse(hygiene.result.data).keys.length).toBeGreaterThan(0);
    const [{ id, revision }] = JSON.parse(hygiene.result.data).keys;
    const changed = await manage('keys_change', {
      id: [id],
      revision: String(revision),
      name: null,
      description: 'changed',
      allowedTools: 'kma_*',
      dailyLimit: '1,000',
    });
    expect(JSON.parse(changed.result.data)).toMatchObject({
      description: 'changed',
      allowedTools: ['kma_*'],
      dailyLimit: 1000,
    });
    const all = await gateway.json('/mcp?mode=manage', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rpc('tools/list')),
    });
    for (const { name } of all.body.result.tools) {
      const { error } = await manage(name, { noSuchMember: 'x', limit: { x: 1 } });
      expect([name, error?.code]).toEqual([name, -32602]);
    }
  });
});

describe(verifies('contract.host-names'), () => {
  const ADDED = { toolCallId: 'call_1', sessionId: 's', action: 'sendMessage', chatInput: 'Hi' };

  test.each([
    ['tools/call', '/mcp', 'frankfurter_rates', { base: 'EUR', ...ADDED }],
    [
      'call_tool',
      '/mcp?mode=search',
      'call_tool',
      { name: 'frankfurter_rates', arguments: { base: 'EUR', ...ADDED }, ...ADDED },
    ],
    [
      'call_tool with a text',
      '/mcp?mode=search',
      'call_tool',
      { name: 'frankfurter_rates', arguments: JSON.stringify({ base: 'EUR', ...ADDED }) },
    ],
  ])('%s', async (_, path, name, args) => {
    const { result } = await callAt(path, name, args);
    expect(result).toMatchObject({ outcome: 'ok', provenance: { asked: { base: 'EUR' } } });
    expect(JSON.stringify(result.provenance.asked)).not.toMatch(/call_1|sendMessage|chatInput/);
  });

  test('a tool that has an argument of the name gets it', async () => {
    const { result } = await callAt('/mcp', 'fixture_action', { action: 'go', sessionId: 's' });
    expect(result.upstream.url).toMatch(/[?&]action=go$/);
  });

  test.each(['toolcallid', 'tool_call_id', 'session', 'Action', 'input', 'id'])(
    '%s stays refused',
    async (name) => {
      const { error } = await callAt('/mcp', 'frankfurter_rates', { base: 'EUR', [name]: 'x' });
      expect(error).toMatchObject({ code: -32602, data: { errors: [{ path: `/${name}` }] } });
    },
  );
});

test(verifies('contract.topics'), async () => {
  const { tools } = (
    await gateway.json('/mcp?mode=search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rpc('tools/list')),
    })
  ).body.result;
  const { description } = tools.find(({ name }: { name: string }) => name === 'find_tools');
  for (const topic of ['tides', 'stocks', 'tourism', 'world exchange rates', 'Action']) {
    expect(description).toContain(topic);
  }
});
