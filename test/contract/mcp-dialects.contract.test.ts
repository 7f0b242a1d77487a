import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type RawRequest, type RawResponse, sendRaw } from '../support/raw-request.ts';
import { META, notification, REVISION, rpc, toolCall } from '../support/rpc-requests.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import {
  type Dialect,
  LEGACY_REVISIONS,
  MCP_REQUESTS,
  type McpRequest,
  type Outcome,
  STATELESS_META,
  schemaIssues,
} from './mcp-requests.ts';
import { verifies } from './requirements.ts';

let gateway: TestGateway;
let stream: SseClient;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
  stream = await openSse(gateway.url, gateway.key);
});
afterAll(async () => {
  stream.close();
  await gateway.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read messages whose shape is under test.
type Message = any;

const post = (send: RawRequest, hasKey = true): Promise<RawResponse> =>
  sendRaw(gateway.url, {
    ...send,
    ...(send.path ? { path: send.path.replace('SESSION', stream.clientId) } : {}),
    headers: {
      'content-type': 'application/json',
      ...(hasKey ? { 'x-api-key': gateway.key } : {}),
      ...send.headers,
    },
  });

const dialectOf = async (auditId: string): Promise<string> =>
  (await gateway.json(`/api/v1/audit/${auditId}`)).body.dialect;

/** The JSON-RPC response to a request, wherever its dialect sends it. */
async function messageFor({ dialect, send }: McpRequest, response: RawResponse): Promise<Message> {
  if (dialect !== 'http-sse') {
    expect(response.headers['content-type']).toMatch(/^application\/json\b/);
    return response.json;
  }
  expect([response.status, response.text]).toEqual([202, '']);
  const { id } = send.body as { id: string };
  const mine = () => stream.messages().find((message) => message.id === id);
  await until(() => mine() !== undefined);
  return mine();
}

async function expectResult(request: McpRequest, response: RawResponse): Promise<Message> {
  const message = await messageFor(request, response);
  expect(response.status).toBe(request.dialect === 'http-sse' ? 202 : 200);
  expect(Object.keys(message).sort()).toEqual(['id', 'jsonrpc', 'result']);
  expect(message).toMatchObject({ jsonrpc: '2.0', id: (request.send.body as Message).id });
  expectMarks(request.dialect, message.result);
  return message.result;
}

/** Members that only results of 2026-07-28 have. */
function expectMarks(dialect: Dialect | null, result: Message): void {
  expect(result.resultType).toBe(dialect === 'stateless' ? 'complete' : undefined);
  if (dialect !== 'stateless') return;
  expect(result._meta[META.server]).toMatchObject({ name: expect.any(String) });
}

const CHECKS: {
  [K in Outcome['kind']]: (
    request: McpRequest,
    response: RawResponse,
    outcome: Extract<Outcome, { kind: K }> & Outcome,
  ) => Promise<void> | void;
} = {
  call: async (request, response) => {
    const result = await expectResult(request, response);
    expect(result).toMatchObject({ tool: 'fixture_cached', data: { ok: true } });
    expect(await dialectOf(result.auditId)).toBe(request.dialect);
    if (request.dialect === 'plain') {
      expect(result).not.toHaveProperty('content');
      expect(result).not.toHaveProperty('_meta');
      return;
    }
    expect(schemaIssues('CallToolResult', result)).toEqual([]);
    expect(result).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/\n\n\{"ok":true\}\n$/) }],
      data: { ok: true },
    });
    expect(result.isError).not.toBe(true);
  },
  'bad-arguments': async (request, response) => {
    if (request.dialect === 'plain') {
      const { error } = await messageFor(request, response);
      expect(error.code).toBe(-32602);
      return expect(await dialectOf(error.data.auditId)).toBe('plain');
    }
    const result = await expectResult(request, response);
    expect(schemaIssues('CallToolResult', result)).toEqual([]);
    expect(result.isError).toBe(true);
    expect(await dialectOf(result.auditId)).toBe(request.dialect);
  },
  list: async (request, response) => {
    const result = await expectResult(request, response);
    expect(schemaIssues('ListToolsResult', result)).toEqual([]);
    expect('title' in result.tools[0]).toBe(request.dialect !== 'plain');
    expect('ttlMs' in result).toBe(request.dialect === 'stateless');
  },
  discovery: async (request, response) => {
    expect(schemaIssues('DiscoverResult', await expectResult(request, response))).toEqual([]);
  },
  initialized: async (request, response, { revision }) => {
    const result = await expectResult(request, response);
    expect(schemaIssues('InitializeResult', result)).toEqual([]);
    expect(result.protocolVersion).toBe(revision);
  },
  empty: async (request, response) => {
    expect(await expectResult(request, response)).toEqual({});
  },
  accepted: (_request, response) => {
    expect([response.status, response.text]).toEqual([202, '']);
  },
  error: async (request, response, { status, code }) => {
    const { error, ...rest } = await messageFor(request, response);
    expect(response.status).toBe(status);
    expect(rest).toEqual({ jsonrpc: '2.0', id: expect.toSatisfy(isId) });
    expect(error).toMatchObject({ code: code ?? expect.any(Number), message: expect.any(String) });
  },
  refused: (_request, response, { status }) => {
    expect(response.status).toBe(status);
    expect(response.json).toEqual({ error: expect.any(String), message: expect.any(String) });
    if (status === 401) expect(response.headers['www-authenticate']).toMatch(/^Bearer/);
  },
  batch: (_request, response, { entries }) => {
    expect(response.status).toBe(200);
    expect(
      response.json.map(({ id, error }: Message) => [id, ...(error ? [error.code] : [])]),
    ).toEqual(entries);
  },
};

const isId = (id: unknown): boolean =>
  id === null || typeof id === 'string' || typeof id === 'number';

/** Selects the check by the kind of outcome; TypeScript cannot infer this pairing. */
function check(request: McpRequest, response: RawResponse): Promise<void> | void {
  const run = CHECKS[request.gives.kind] as (
    request: McpRequest,
    response: RawResponse,
    outcome: Outcome,
  ) => Promise<void> | void;
  return run(request, response, request.gives);
}

describe.each(['plain', 'streamable-http', 'stateless', 'http-sse', null] as const)(
  'the dialect %s of POST /mcp',
  (dialect) => {
    const requests = MCP_REQUESTS.filter((each) => each.dialect === dialect);
    test.each(requests.map((each) => [each.title, each] as const))(
      `${verifies('mcp.dialect')}: %s`,
      async (_title, request) => {
        await check(request, await post(request.send, request.hasKey));
      },
    );
  },
);

const ACCEPTS = [
  '*/*',
  '',
  'application/json',
  'text/event-stream',
  'application/json, text/event-stream',
  'TEXT/EVENT-STREAM; q=0.3',
  'text/*;q=0.2',
  'image/png',
  ',;,',
];
const VERSIONS = [...LEGACY_REVISIONS, REVISION, '2024-01-01', '2027-01-01', 'x', '0', 'ü'];
const METHODS = ['tools/call', 'tools/list', 'initialize', 'ping', 'server/discover', 'x', ''];
const METAS = [
  undefined,
  null,
  7,
  [],
  {},
  STATELESS_META,
  { [META.version]: REVISION },
  { [META.version]: '2025-11-25', [META.capabilities]: {} },
  { [META.version]: {}, [META.capabilities]: [] },
  { progressToken: {} },
];

const headerSoup = fc.record(
  {
    accept: fc.oneof(fc.constantFrom(...ACCEPTS), fc.string({ unit: 'grapheme-ascii' })),
    'mcp-protocol-version': fc.oneof(
      fc.constantFrom(...VERSIONS),
      fc.string({ unit: 'grapheme-ascii' }),
    ),
    'mcp-session-id': fc.string({ unit: 'grapheme-ascii' }),
    'mcp-method': fc.oneof(fc.constantFrom(...METHODS), fc.string({ unit: 'grapheme-ascii' })),
    'mcp-name': fc.oneof(
      fc.constantFrom('fixture_cached', '=?base64?Zml4dHVyZV9jYWNoZWQ=?=', '=?base64?', '=?x?=y'),
      fc.string({ unit: 'grapheme-ascii' }),
    ),
    'last-event-id': fc.string({ unit: 'grapheme-ascii' }),
  },
  { requiredKeys: [] },
);

const messageSoup = fc
  .record({
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', undefined),
    id: fc.constantFrom(1, 'a', undefined, null, 1.5, {}),
    method: fc.constantFrom(...METHODS, undefined, 5),
    params: fc.oneof(
      fc.record({
        name: fc.constantFrom('fixture_cached', 'no_such_tool', undefined, 7),
        arguments: fc.constantFrom({ n: 1 }, { n: 'x' }, undefined, [], 'n'),
        cursor: fc.constantFrom(undefined, 'bad', 3),
        limit: fc.constantFrom(undefined, 1, 'all'),
        protocolVersion: fc.constantFrom(undefined, '2025-06-18', 7),
        _meta: fc.constantFrom(...METAS),
      }),
      fc.jsonValue(),
    ),
    result: fc.constantFrom(undefined, undefined, {}),
  })
  .map((message) => JSON.stringify(message));

const bodySoup = fc.oneof(
  { weight: 6, arbitrary: messageSoup },
  { weight: 1, arbitrary: fc.array(messageSoup, { maxLength: 3 }).map((all) => `[${all}]`) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
);

const pathSoup = fc.constantFrom(
  '/mcp',
  '/mcp',
  '/mcp',
  '/mcp?sessionId=SESSION',
  '/mcp?sessionId=',
  '/mcp?sessionId=SESSION&sessionId=SESSION',
  '/mcp?category=weather',
  '/mcp?category=weather&category=economy',
  '/mcp?category=',
  '/mcp?tools=fixture_*',
  '/mcp?tools=',
  '/mcp?tools=***&tools[]=a',
  '/mcp?%E0%A4%A',
);

/** True for a response in any form that docs/contract.md#errors allows. */
function isContractResponse({ status, text, json }: RawResponse): boolean {
  if (status === 202) return text === '';
  if (status >= 400 && typeof json?.error === 'string') return typeof json.message === 'string';
  return Array.isArray(json) ? json.every(isMessage) : isMessage(json);
}

const isMessage = (json: Message): boolean =>
  json?.jsonrpc === '2.0' &&
  isId(json.id) &&
  ('result' in json
    ? !('error' in json)
    : Number.isInteger(json.error.code) && typeof json.error.message === 'string');

test(verifies('mcp.never-500'), async () => {
  await fc.assert(
    fc.asyncProperty(pathSoup, headerSoup, bodySoup, async (path, headers, body) => {
      const response = await post({ path, headers, body });
      expect([200, 202, 400, 404, 413]).toContain(response.status);
      expect(response.text).toSatisfy(() => isContractResponse(response));
    }),
    { numRuns: 400 },
  );
});

/** The table in docs/mcp.md, for headers whose values are all well-formed. */
function dialectBySigns(headers: Readonly<Record<string, string>>, meta: unknown): Dialect {
  const revision = headers['mcp-protocol-version'];
  if (typeof meta === 'object' && meta !== null && META.version in meta) return 'stateless';
  if (revision !== undefined) return revision >= REVISION ? 'stateless' : 'streamable-http';
  if (headers['mcp-session-id'] !== undefined) return 'streamable-http';
  const accepted = (headers['accept'] ?? '').toLowerCase().split(',');
  const listsEvents = accepted.some((type) => type.split(';')[0]?.trim() === 'text/event-stream');
  return listsEvents ? 'streamable-http' : 'plain';
}

test(`${verifies('mcp.dialect')}, for every combination of signs`, async () => {
  const signs = fc.record(
    {
      accept: fc.constantFrom(...ACCEPTS),
      'mcp-protocol-version': fc.constantFrom(...LEGACY_REVISIONS, REVISION),
      'mcp-session-id': fc.constant('s'),
      'mcp-method': fc.constant('tools/call'),
      'mcp-name': fc.constant('fixture_cached'),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(signs, fc.constantFrom({}, STATELESS_META), async (headers, meta) => {
      const body = rpc('tools/call', { name: 'fixture_cached', arguments: { n: 1 }, _meta: meta });
      const { status, json } = await post({ headers, body });
      const dialect = dialectBySigns(headers, meta);
      if (status === 200) expect(await dialectOf(json.result.auditId)).toBe(dialect);
      // Only 2026-07-28 rejects headers and _meta here.
      else expect([status, dialect]).toEqual([400, 'stateless']);
    }),
    { numRuns: 200 },
  );
});

test(verifies('mcp.plain-ignores-headers'), async () => {
  const bodies = [
    rpc('tools/list', { limit: 3 }),
    rpc('initialize'),
    toolCall('no_such_tool'),
    [rpc('ping'), notification('x')],
    { jsonrpc: '2.0', id: 1, result: {} },
    '{',
  ];
  const plainly = await Promise.all(bodies.map((body) => post({ body })));
  const headers = fc.record(
    {
      accept: fc.constantFrom('*/*', 'application/json', 'text/html;q=0.8, text/*', 'image/*'),
      'accept-language': fc.constantFrom('ko', '*', 'de, en;q=0.5'),
      'user-agent': fc.string({ unit: 'grapheme-ascii' }),
      cookie: fc.string({ unit: 'grapheme-ascii' }),
      'mcp-method': fc.constantFrom(...METHODS),
      'mcp-name': fc.string({ unit: 'grapheme-ascii' }),
      'last-event-id': fc.string({ unit: 'grapheme-ascii' }),
      'x-tenant-id': fc.string({ unit: 'grapheme-ascii' }),
      'x-mcp-protocol-version': fc.constantFrom(...VERSIONS.slice(0, -1)),
      'if-none-match': fc.constant('*'),
      range: fc.constant('bytes=0-1'),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(bodies.length - 1), headers, async (index, given) => {
      const response = await post({ headers: given, body: bodies[index] });
      const expected = plainly[index];
      expect([response.status, response.text]).toEqual([expected?.status, expected?.text]);
      expect(response.headers['content-type']).toBe(expected?.headers['content-type']);
    }),
    { numRuns: 150 },
  );
});
