import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type RawResponse, sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, rpc, toolCall } from '../support/rpc-requests.ts';
import { schemaIssues } from './mcp-requests.ts';
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

describe('batches', () => {
  const of = (length: number) => Array.from({ length }, (_, index) => rpc('ping', {}, index));

  test(`${verifies('mcp.batch')}: not more than 50`, async () => {
    expect((await send(of(50))).json).toHaveLength(50);
    expect((await send(of(51))).json).toMatchObject({ id: null, error: { code: -32600 } });
    expect((await send([])).json).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

describe('tools/list', () => {
  const list = async (params?: unknown) => (await send(rpc('tools/list', params))).json;

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
});

describe('results of tools/call', () => {
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

  test(`${verifies('mcp.progress')}: a failure also comes last`, async () => {
    gateway.upstream.answer((_request, response) => {
      setTimeout(() => response.writeHead(404).end('{}'), 2_500);
    });
    const response = await send(withToken('fails'));
    expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(response.messages.at(-1)).toMatchObject({ id: 'slow', result: { isError: true } });
  });
});
