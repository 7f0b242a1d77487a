import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type RawResponse, sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, notification, rpc, toolCall } from '../support/rpc-requests.ts';
import { initialize, LEGACY_REVISIONS, schemaIssues } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const BLOCKS_PRESET = `openapi: 3.1.0
info: { title: Blocks, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
paths:
  /blocks:
    get:
      operationId: blocks_any
      x-mcp-content: true
      x-cache-ttl: 0
      description: Content of its own making.
      responses: { "200": { description: Blocks. } }
`;

const NOWCAST = 'kma_ultra_short_nowcast';
const AUDIT_ID = /^aud_[0-9A-Z]{26}$/;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { RATE_LIMIT_PER_MINUTE: '0' },
    presets: { blocks: BLOCKS_PRESET },
  });
});
afterAll(() => gateway.close());

const send = (
  body: unknown,
  headers: object = ACCEPTS_EVENTS,
  to = gateway,
  path = '/mcp',
): Promise<RawResponse> =>
  sendRaw(to.url, {
    path,
    headers: { 'content-type': 'application/json', 'x-api-key': to.key, ...headers },
    body,
  });

const STRUCTURED = '/mcp?result=structured';

/** Sets the upstream's response. */
const upstreamResponds = (
  body: string | Buffer,
  type = 'application/json',
  status = 200,
  to = gateway,
) =>
  to.upstream.answer((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });

async function call(name: string, args: object = {}) {
  const { status, headers, json } = await send(toolCall(name, args));
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json\b/);
  expect(schemaIssues('CallToolResult', json.result)).toEqual([]);
  return json.result;
}

/** The first line says what happened. */
function expectLine(result: { content: { type: string; text: string }[] }, words: string | RegExp) {
  const [line] = result.content[0]?.text.split('\n') ?? [];
  expect(line).toMatch(words);
}

/** The data in the text for the model: what follows the first empty line, without the last line break. */
function bodyOf({ content }: { content: { text: string }[] }): string {
  const text = content[0]?.text ?? '';
  return text.slice(text.indexOf('\n\n') + 2, -1);
}

/** A failure has no structured data, and starts with what to do. */
function expectFailure(result: Parameters<typeof expectLine>[0], words: string | RegExp) {
  expect(result).toMatchObject({ isError: true, auditId: expect.stringMatching(AUDIT_ID) });
  expect(result).not.toHaveProperty('structuredContent');
  expectLine(result, words);
}

describe('initialize', () => {
  test.each(LEGACY_REVISIONS)(`${verifies('mcp.initialize')}: %s`, async (revision) => {
    const { json } = await send(initialize(revision));
    expect(json.result.protocolVersion).toBe(revision);
  });

  test.each(['2026-07-28', '2023-01-01', '2099-01-01', 'latest', ''])(
    `${verifies('mcp.initialize')}: %j is not one of them`,
    async (revision) => {
      const { status, json } = await send(initialize(revision));
      expect(status).toBe(200);
      expect(json.result.protocolVersion).toBe('2025-11-25');
    },
  );

  test(verifies('mcp.initialize.result', 'mcp.list-changed', 'mcp.no-session'), async () => {
    const { headers, json } = await send(initialize('2025-11-25', 'init'));
    expect(json).toMatchObject({ jsonrpc: '2.0', id: 'init' });
    expect(schemaIssues('InitializeResult', json.result)).toEqual([]);
    expect(Object.keys(json.result.capabilities)).toEqual(['tools', 'resources', 'completions']);
    expect(json.result.capabilities.tools.listChanged).not.toBe(true);
    expect(json.result.serverInfo).toMatchObject({
      name: expect.stringMatching(/./),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(json.result.instructions).toMatch(/\w/);
    expect(headers).not.toHaveProperty('mcp-session-id');
  });
});

describe('messages beside tools', () => {
  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    `${verifies('mcp.ping')}, of %s`,
    async (revision) => {
      const { status, json } = await send(rpc('ping', undefined, 0), {
        'mcp-protocol-version': revision,
      });
      expect(status).toBe(200);
      expect(json).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
    },
  );

  test.each([
    notification('notifications/initialized'),
    notification('notifications/cancelled', { requestId: 7, reason: 'late' }),
    notification('notifications/nobody/knows'),
    { jsonrpc: '2.0', id: 3, result: {} },
    { jsonrpc: '2.0', id: 'x', error: { code: -32000, message: 'no' } },
  ])(`${verifies('mcp.accepted')}: %j`, async (message) => {
    const { status, text } = await send(message);
    expect([status, text]).toEqual([202, '']);
  });

  test.each([
    'resources/subscribe',
    'prompts/list',
    'logging/setLevel',
    'server/discover',
    'toString',
  ])(`${verifies('mcp.unknown-method')}: %s`, async (method) => {
    const { status, json } = await send(rpc(method, {}, 'm'));
    expect(status).toBe(200);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 'm',
      error: { code: -32601, message: expect.any(String) },
    });
  });

  test.each([
    ['initialize', initialize('2025-11-25')],
    ['a call', toolCall('fixture_uncached')],
    ['a notification', notification('notifications/initialized')],
  ])(`${verifies('mcp.401')}: %s`, async (_title, message) => {
    for (const key of ['', 'tg_live_wrong']) {
      const { status, headers, json } = await send(message, {
        ...ACCEPTS_EVENTS,
        'x-api-key': key,
      });
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toMatch(/^Bearer/);
      expect(json).toEqual({
        error: 'Unauthorized',
        message:
          'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
      });
    }
  });
});

describe('batches', () => {
  const of = (length: number) => Array.from({ length }, (_, index) => rpc('ping', {}, index));

  test(`${verifies('mcp.batch')}: answered`, async () => {
    const { status, json } = await send(
      [
        rpc('tools/list', { limit: 1 }, 'list'),
        notification('notifications/initialized'),
        toolCall('fixture_uncached', {}, 'call'),
        { jsonrpc: '2.0', id: 5, result: {} },
        rpc('no/such', {}, 'no'),
      ],
      { 'mcp-protocol-version': '2025-03-26' },
    );
    expect(status).toBe(200);
    const byId = Object.fromEntries(json.map((each: { id: string }) => [each.id, each]));
    expect(Object.keys(byId).sort()).toEqual(['call', 'list', 'no']);
    expect(byId['list'].result.tools).toHaveLength(1);
    expect(schemaIssues('CallToolResult', byId['call'].result)).toEqual([]);
    expect(byId['no'].error.code).toBe(-32601);
  });

  test(`${verifies('mcp.batch')}: nothing that needs a response`, async () => {
    const { status, text } = await send([notification('notifications/initialized')]);
    expect([status, text]).toEqual([202, '']);
  });

  test(`${verifies('mcp.batch')}: not more than 50`, async () => {
    expect((await send(of(50))).json).toHaveLength(50);
    expect((await send(of(51))).json).toMatchObject({ id: null, error: { code: -32600 } });
    expect((await send([])).json).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test.each(['2025-06-18', '2025-11-25'])(
    `${verifies('mcp.batch')}: not of %s`,
    async (revision) => {
      const { status, json } = await send(of(2), { 'mcp-protocol-version': revision });
      expect(status).toBe(400);
      expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    },
  );
});

describe('tools/list', () => {
  const list = async (params?: unknown) => (await send(rpc('tools/list', params))).json;

  test(verifies('mcp.list', 'mcp.list.entry', 'mcp.no-session'), async () => {
    const { result } = await list();
    expect(schemaIssues('ListToolsResult', result)).toEqual([]);
    expect(Object.keys(result)).toEqual(['tools']);
    for (const tool of result.tools) {
      expect(Object.keys(tool).sort()).toEqual([
        ...('_meta' in tool ? ['_meta'] : []),
        'annotations',
        'description',
        'inputSchema',
        'name',
        'title',
      ]);
      expect(tool.name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
      for (const text of [tool.title, tool.description]) expect(text).toMatch(/./);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.annotations).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
    }
    expect((await list()).result).toEqual(result);

    const records = await gateway.json('/api/v1/tools?limit=500');
    const sorted = records.body.tools
      .toSorted((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1))
      .map(({ name }: { name: string }) => name);
    expect(namesOf(result)).toEqual(sorted);
  });

  const namesOf = ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name);

  test.each([1, 7, 25, 500])(`${verifies('mcp.list.pages')}, of %i`, async (limit) => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await list({ limit, ...(cursor === undefined ? {} : { cursor }) });
      expect(result.tools.length).toBeLessThanOrEqual(limit);
      if (result.nextCursor !== undefined) expect(result.tools).toHaveLength(limit);
      names.push(...namesOf(result));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(namesOf((await list()).result));
  });

  test.each([
    { cursor: 'none-of-yours' },
    { cursor: '=?!' },
    { cursor: 5 },
    { limit: 0 },
    { limit: 501 },
    { limit: -1 },
    { limit: 2.5 },
    { limit: '5' },
  ])(`${verifies('mcp.list.bad-page')}: %j`, async (params) => {
    const { status, json } = await send(rpc('tools/list', params));
    expect(status).toBe(200);
    expect(json.error).toMatchObject({ code: -32602, message: expect.any(String) });
  });

  test.each([[[]], ['weather'], [3]])(`${verifies('mcp.malformed-params')}: %j`, async (params) => {
    const { status, json } = await send(rpc('tools/list', params));
    expect([status, json.error.code]).toEqual([200, -32602]);
  });
});

describe('results of tools/call', () => {
  test(verifies('mcp.result.plain-members', 'mcp.result.content', 'mcp.result.meta'), async () => {
    upstreamResponds('{"a":[1,2.50,"三"],"b":{"c":null}}');
    await gateway.call('fixture_cached', { n: 100 });
    const plain = (await gateway.call('fixture_cached', { n: 100 })).body.result;
    const result = await call('fixture_cached', { n: 100 });

    const { auditId, ...members } = plain;
    expect(result).toMatchObject(members);
    expect(result.auditId).toMatch(AUDIT_ID);
    expect(result.auditId).not.toBe(auditId);
    expect(result.cacheStatus).toBe('HIT');
    expect(result).not.toHaveProperty('isError');
    expect(result).not.toHaveProperty('resultType');

    expect(result.content.map(({ type }: { type: string }) => type)).toEqual(['text']);
    expectLine(result, 'fixture_cached');
    expect(JSON.parse(bodyOf(result))).toEqual(plain.data);
    expect(result).not.toHaveProperty('structuredContent');
    expect(result._meta).toEqual({
      'toolgateway/auditId': result.auditId,
      'toolgateway/cacheStatus': 'HIT',
      'toolgateway/upstream': result.upstream,
    });
  });

  test.each(['[]', '[{"a":1}]', '[[1],[2]]', '5', '"text"', 'true', 'null', '{"a":{}}'])(
    `${verifies('mcp.result.structured')}: %s`,
    async (body) => {
      upstreamResponds(body);
      const result = await call('fixture_uncached');
      const data = JSON.parse(body);
      expect(result.data).toEqual(data);
      expect(result).not.toHaveProperty('structuredContent');
      expect(JSON.parse(bodyOf(result))).toEqual(data);

      const { json } = await send(
        toolCall('fixture_uncached'),
        ACCEPTS_EVENTS,
        gateway,
        STRUCTURED,
      );
      expect(schemaIssues('CallToolResult', json.result)).toEqual([]);
      expect(json.result).not.toHaveProperty('data');
      expect(json.result.structuredContent).toMatchObject({ rows: [], columns: [], data });
      expect(json.result.structuredContent.provenance).toMatchObject({
        dataset: expect.any(String),
      });
    },
  );

  test(`${verifies('mcp.result.structured')}: the schema is declared only then`, async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const plain = (await send(list)).json.result.tools;
    expect(plain[0]).not.toHaveProperty('outputSchema');
    const declared = (await send(list, ACCEPTS_EVENTS, gateway, STRUCTURED)).json.result.tools;
    expect(declared[0]).toMatchObject({ outputSchema: { type: 'object' } });
    const text = await send(
      toolCall('fixture_uncached'),
      ACCEPTS_EVENTS,
      gateway,
      '/mcp?result=text',
    );
    expect(Object.keys(text.json.result)).toEqual(['content', '_meta']);
    const wrong = await send(list, ACCEPTS_EVENTS, gateway, '/mcp?result=rows');
    expect(wrong.status).toBe(400);
  });

  test(`${verifies('mcp.result.content')}: a text response is the text itself`, async () => {
    const text = 'Sehr geehrte "Welt"\n\t안녕 \u{1f30f}\\n';
    upstreamResponds(text, 'text/plain; charset=utf-8');
    const result = await call('fixture_uncached');
    expect(bodyOf(result)).toBe(text);
  });

  test.each([
    ['image/png', 'image'],
    ['audio/mpeg', 'audio'],
  ])(`${verifies('mcp.result.media')}: %s`, async (mimeType, type) => {
    const bytes = Buffer.from([0x89, 0, 0xff, 0x0a, 0x80]);
    upstreamResponds(bytes, mimeType);
    const result = await call('fixture_uncached');
    const data = bytes.toString('base64');
    expectLine(result, 'fixture_uncached');
    expect(result.content.slice(1)).toEqual([{ type, mimeType, data }]);
    expect(result.data).toEqual({ contentType: mimeType, bytes: bytes.length, base64: data });
    expect(result).not.toHaveProperty('structuredContent');
  });

  test(verifies('mcp.result.own-content'), async () => {
    const content = [
      { type: 'text', text: 'first' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0K' },
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'a' } },
    ];
    upstreamResponds(JSON.stringify({ content, structuredContent: { n: 1 } }));
    const good = await call('blocks_any');
    expect(good).toMatchObject({ content, structuredContent: { n: 1 }, tool: 'blocks_any' });
    expect(good.content).toHaveLength(3);

    upstreamResponds(JSON.stringify({ content: content.slice(0, 1), isError: true }));
    expect(await call('blocks_any')).toMatchObject({ content: content.slice(0, 1), isError: true });
  });

  test(`${verifies('mcp.result.cut')}: a large response`, async () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n, name: `서울특별시 ${n}` }));
    upstreamResponds(JSON.stringify({ items }));
    const result = await call('fixture_uncached');
    expect(result.data).toEqual({ items });
    expect(result.content).toHaveLength(1);
    expect(result.content[0].text).toContain('\nNote: Only the first ');
    expect(bodyOf(result).length).toBeLessThanOrEqual(24_000);
    expect(bodyOf(result)).toMatch(/^\{"items":\[\{"n":0,"name":"서울특별시 0"\}/);
  });
});

describe('failures of tools/call', () => {
  test(verifies('mcp.error.arguments'), async () => {
    const result = await call('fixture_cached', { n: 'x', color: 'blue', colour: 'red' });
    expectFailure(result, /fixture_cached.*failed/);
    for (const field of ['/n', '/color', '/colour'])
      expect(result.content[0].text).toContain(field);
    expect(result.content[0].text).toMatch(/red.*green/);
    const { body } = await gateway.json(`/api/v1/audit/${result.auditId}`);
    expect(body).toMatchObject({ dialect: 'streamable-http', outcome: 'error' });
  });

  test.each([400, 404, 429, 500, 503])(`${verifies('mcp.error.upstream')}: %i`, async (status) => {
    upstreamResponds('{"why":"gone"}', 'application/json', status);
    const result = await call('fixture_uncached');
    expectFailure(result, String(status));
    expect(result).toMatchObject({ upstream: { method: 'GET', status }, data: { why: 'gone' } });
    expect(bodyOf(result)).toBe('{"why":"gone"}');
  });

  test.each([
    ['key', '30', 'Unregistered service key'],
    ['expired', '31', 'Expired service key'],
    // Last: no request is sent afterwards.
    ['quota', '22', 'Unknown public-data error (22)'],
  ])(`${verifies('mcp.error.public-data')}: %s`, async (fault, code, message) => {
    await gateway.fault(NOWCAST, fault);
    const result = await call(NOWCAST, { lat: 37.5665, lon: 126.978, pageNo: Number(code) });
    expectFailure(result, NOWCAST);
    expect(result.content[0].text).toContain(message);
    expect(result).toMatchObject({ upstream: { status: 200 }, publicData: { code, message } });
  });

  test(verifies('mcp.error.no-answer'), async () => {
    gateway.upstream.answer((_request, response) => void response.destroy());
    const result = await call('fixture_write', { title: 'x' });
    expectFailure(result, /fixture_write.*failed/);
    expect(result.tool).toBe('fixture_write');
  });

  test.each(['no_such_tool', '', 'constructor', 'FIXTURE_UNCACHED'])(
    `${verifies('mcp.unknown-tool')}: %j`,
    async (name) => {
      const { status, json } = await send(toolCall(name));
      expect(status).toBe(200);
      expect(json).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32602 } });
      expect(json).not.toHaveProperty('result');
    },
  );

  test.each([
    ['no params', undefined],
    ['params is an array', []],
    ['params is a string', 'fixture_uncached'],
    ['no name', {}],
    ['a name that is a number', { name: 4 }],
    ['arguments is an array', { name: 'fixture_uncached', arguments: [] }],
    ['arguments is a string', { name: 'fixture_uncached', arguments: 'n=1' }],
  ])(`${verifies('mcp.malformed-params')}: %s`, async (_title, params) => {
    const { status, json } = await send(rpc('tools/call', params));
    expect([status, json.error.code]).toEqual([200, -32602]);
  });
});

describe('limits', () => {
  test(verifies('mcp.error.rate-limit'), async () => {
    const limited = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '2' } });
    try {
      for (let n = 0; n < 2; n++) await limited.call('fixture_uncached');
      const { status, json } = await send(toolCall('fixture_uncached'), ACCEPTS_EVENTS, limited);
      expect(status).toBe(200);
      expect(schemaIssues('CallToolResult', json.result)).toEqual([]);
      expect(json).toMatchObject({ id: 1, result: { isError: true } });
      expectLine(json.result, /retry in \d+ s/i);
      expect(limited.upstream.seen).toHaveLength(2);

      const plain = await limited.call('fixture_uncached');
      expect(plain.status).toBe(429);
      expect(Number(plain.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(plain.body).toEqual({ error: 'Too Many Requests', message: expect.any(String) });
    } finally {
      await limited.close();
    }
  });

  describe('MCP_CONTENT_MAX_CHARACTERS', () => {
    let capped: TestGateway;
    beforeAll(async () => {
      capped = await startTestGateway({ env: { MCP_CONTENT_MAX_CHARACTERS: '500' } });
    });
    afterAll(() => capped.close());

    const callBoth = async (body: string, type: string) => {
      const results = [];
      for (const to of [gateway, capped]) {
        upstreamResponds(body, type, 200, to);
        results.push((await send(toolCall('fixture_uncached'), ACCEPTS_EVENTS, to)).json.result);
      }
      const [whole, cut] = results;
      return { whole, cut };
    };

    // The padding before the long characters moves the limit through every byte of one.
    test.each([0, 1, 2, 3].flatMap((n) => [`${n} é`, `${n} 한`, `${n} \u{1f30f}`]))(
      `${verifies('mcp.result.cut')}, at a character: %s`,
      async (title) => {
        const [before = '', character = ''] = title.split(' ');
        const text = 'x'.repeat(Number(before)) + character.repeat(600);
        for (const [body, type] of [
          [JSON.stringify({ text }), 'application/json'],
          [text, 'text/plain; charset=utf-8'],
        ] as const) {
          const { whole, cut } = await callBoth(body, type);
          expect(schemaIssues('CallToolResult', cut)).toEqual([]);
          const shown = bodyOf(cut);
          expect(bodyOf(whole).startsWith(shown)).toBe(true);
          expect(shown.isWellFormed()).toBe(true);
          expect(shown).not.toContain('\ufffd');
          expect(shown.length).toBeGreaterThan(300);
          expect(cut.content[0].text.replace(/\nNote: .*/, '').length).toBeLessThanOrEqual(500);
          expect(cut.data).toEqual(whole.data);
          expect(cut.isError).not.toBe(true);
        }
      },
    );

    test(`${verifies('mcp.result.cut')}: a note says so`, async () => {
      const { whole, cut } = await callBoth(JSON.stringify('x'.repeat(1000)), 'application/json');
      expect(whole.content[0].text).not.toContain('\nNote: ');
      expect(cut.content[0].text).toContain('\nNote: Only the first ');
    });
  });
});

describe('slow calls', () => {
  const HOLD_MS = 4_500;
  const respondLate = () =>
    gateway.upstream.answer((_request, response) => {
      setTimeout(
        () => response.setHeader('content-type', 'application/json').end('{"ok":1}'),
        HOLD_MS,
      );
    });
  const withToken = (progressToken: unknown) =>
    rpc('tools/call', { name: 'fixture_uncached', _meta: { progressToken } }, 'slow');

  test(verifies('mcp.progress', 'mcp.progress.not-asked', 'event.retry'), async () => {
    respondLate();
    const [byText, byZero, notAsked, noStream] = await Promise.all([
      send(withToken('token-1')),
      send(withToken(0)),
      send(toolCall('fixture_uncached', {}, 'slow')),
      send(withToken('token-2'), { 'mcp-protocol-version': '2025-11-25' }),
    ]);
    for (const [response, token] of [
      [byText, 'token-1'],
      [byZero, 0],
    ] as const) {
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
      expect(response.headers['x-accel-buffering']).toBe('no');
      expect(response.text).toMatch(/^retry: 3000\nevent: message\ndata: /);
      const progressMessages = response.messages.slice(0, -1);
      expect(progressMessages.length).toBeGreaterThan(0);
      for (const message of progressMessages) {
        expect(schemaIssues('ProgressNotification', message)).toEqual([]);
        expect(message.params.progressToken).toBe(token);
      }
      const progress: number[] = progressMessages.map(({ params }) => params.progress);
      expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
      expect(response.messages.at(-1)).toMatchObject({
        jsonrpc: '2.0',
        id: 'slow',
        result: { data: { ok: 1 } },
      });
    }
    for (const response of [notAsked, noStream]) {
      expect(response.headers['content-type']).toMatch(/^application\/json\b/);
      expect(response.json).toMatchObject({ id: 'slow', result: { data: { ok: 1 } } });
    }
  });

  test(`${verifies('mcp.progress')}: a quick call stays JSON`, async () => {
    upstreamResponds('{"ok":1}');
    const { headers, json } = await send(withToken('quick'));
    expect(headers['content-type']).toMatch(/^application\/json\b/);
    expect(json.result.data).toEqual({ ok: 1 });
  });

  test(`${verifies('mcp.progress')}: a failure also comes last`, async () => {
    gateway.upstream.answer((_request, response) => {
      setTimeout(() => response.writeHead(404).end('{}'), 2_500);
    });
    const response = await send(withToken('fails'));
    expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(response.messages.at(-1)).toMatchObject({ id: 'slow', result: { isError: true } });
  });
});
