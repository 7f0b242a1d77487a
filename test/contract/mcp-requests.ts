import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/client';
import { LEGACY_REVISIONS as LEGACY } from '../../src/dialects/mcp/shared/revisions.ts';
import type { RawRequest } from '../support/raw-request.ts';
import {
  ACCEPTS_EVENTS,
  INITIALIZED,
  initializeAs,
  META,
  notification,
  REVISION,
  type RequestId,
  rpc,
  statelessHeaders,
  statelessMeta,
  toolCall,
} from '../support/rpc-requests.ts';

/** The names of dialects in audit records. */
export type Dialect = 'plain' | 'http-sse' | 'streamable-http' | 'stateless';

/** The revisions with `initialize`. */
export const LEGACY_REVISIONS = LEGACY.map(({ date }) => date);

export const initialize = initializeAs('contract');

/** What every request of 2026-07-28 has in `params._meta`. */
export const STATELESS_META = statelessMeta('contract');

/** A request with everything that 2026-07-28 requires. */
export const stateless = (method: string, params: object = {}, id: RequestId = 1) => ({
  headers: statelessHeaders(method, params),
  body: rpc(method, { ...params, _meta: STATELESS_META }, id),
});

export const statelessCall = (name: string, args: object = {}, id: RequestId = 1) =>
  stateless('tools/call', { name, arguments: args }, id);

/** How a value violates the protocol's own schema of a type. */
export const schemaIssues = (type: SpecTypeName, value: unknown): readonly unknown[] =>
  specTypeSchemas[type]['~standard'].validate(value).issues ?? [];

/** The expected response. */
export type Outcome =
  | { readonly kind: 'call' | 'bad-arguments' | 'list' | 'empty' | 'discovery' | 'accepted' }
  | { readonly kind: 'initialized'; readonly revision: string }
  /** A JSON-RPC error; without `code`, any code is allowed. */
  | { readonly kind: 'error'; readonly status: number; readonly code?: number }
  /** The `{error, message}` of an HTTP error. */
  | { readonly kind: 'refused'; readonly status: number }
  /** Entries by id, in the order of the request; an error by its code. */
  | { readonly kind: 'batch'; readonly entries: readonly (readonly [RequestId, number?])[] };

/** A raw request, the dialect to which it belongs, and the expected response. */
export interface McpRequest {
  readonly title: string;
  /** Null when no dialect is reached, or when the response does not show which. */
  readonly dialect: Dialect | null;
  /** `SESSION` in the path stands for the id of an open event stream. */
  readonly send: RawRequest;
  readonly hasKey?: false;
  readonly gives: Outcome;
}

const CALL = toolCall('fixture_cached', { n: 1 });
const BAD_CALL = toolCall('fixture_cached', { n: 'one' });
const LIST = rpc('tools/list');
const CALLED = { kind: 'call' } as const;
const LISTED = { kind: 'list' } as const;
const ACCEPTED = { kind: 'accepted' } as const;
const failed = (status: number, code?: number): Outcome => ({
  kind: 'error',
  status,
  ...(code === undefined ? {} : { code }),
});

type Row = readonly [
  title: string,
  headers: RawRequest['headers'],
  body: unknown,
  gives: Outcome,
  path?: string,
];
const rows = (dialect: Dialect | null, table: readonly Row[]): McpRequest[] =>
  table.map(([title, headers = {}, body, gives, path]) => ({
    title,
    dialect,
    send: { headers, body, ...(path === undefined ? {} : { path }) },
    gives,
  }));

const version = (revision: string) => ({ 'mcp-protocol-version': revision });
const withMeta = (message: ReturnType<typeof rpc>, meta: unknown) => ({
  ...message,
  params: { ...(message.params as object), _meta: meta },
});

const PLAIN_CALLERS = rows('plain', [
  ['curl', { accept: '*/*', 'user-agent': 'curl/8.5.0' }, CALL, CALLED],
  [
    'axios',
    {
      accept: 'application/json, text/plain, */*',
      'user-agent': 'axios/1.13.2',
      'accept-encoding': 'gzip, compress, deflate, br',
    },
    CALL,
    CALLED,
  ],
  [
    'got',
    {
      accept: 'application/json',
      'user-agent': 'got (https://github.com/sindresorhus/got)',
      'accept-encoding': 'gzip, deflate, br, zstd',
    },
    CALL,
    CALLED,
  ],
  [
    'python-requests',
    {
      accept: '*/*',
      'user-agent': 'python-requests/2.32.5',
      'accept-encoding': 'gzip, deflate',
      connection: 'keep-alive',
    },
    CALL,
    CALLED,
  ],
  [
    'fetch of Node',
    {
      accept: '*/*',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
      'accept-encoding': 'gzip, deflate',
    },
    CALL,
    CALLED,
  ],
  [
    'Go, which sends no Accept',
    { 'user-agent': 'Go-http-client/1.1', 'accept-encoding': 'gzip' },
    CALL,
    CALLED,
  ],
  [
    'Java, which offers HTTP/2',
    {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      'user-agent': 'Java-http-client/21',
    },
    CALL,
    CALLED,
  ],
  [
    'wget',
    { accept: '*/*', 'user-agent': 'Wget/1.21', 'accept-encoding': 'identity' },
    CALL,
    CALLED,
  ],
  ['a charset', { 'content-type': 'application/json; charset=utf-8' }, CALL, CALLED],
  ['a list', { accept: '*/*' }, LIST, LISTED],
  ['invalid arguments', { accept: '*/*' }, BAD_CALL, { kind: 'bad-arguments' }],
]);

const STILL_PLAIN = rows('plain', [
  ['an empty Accept', { accept: '' }, CALL, CALLED],
  ['text/* in Accept', { accept: 'text/*, application/json' }, CALL, CALLED],
  ['a type with the same start in Accept', { accept: 'text/event-stream-x, */*' }, CALL, CALLED],
  ['a type with the same end in Accept', { accept: 'x-text/event-stream, */*' }, CALL, CALLED],
  ['a weight in Accept', { accept: 'application/json;q=0.9, */*;q=0.1' }, CALL, CALLED],
  ['headers of 2026-07-28 alone', { 'mcp-method': 'tools/call', 'mcp-name': 'x' }, CALL, CALLED],
  ['Last-Event-ID', { 'last-event-id': '7' }, CALL, CALLED],
  ['event streams in another header', { 'x-accept': 'text/event-stream' }, CALL, CALLED],
  ['a progress token', {}, withMeta(CALL, { progressToken: 1 }), CALLED],
  ['client information in _meta', {}, withMeta(CALL, { [META.client]: { name: 'x' } }), CALLED],
  ['a _meta that is a string', {}, withMeta(LIST, META.version), LISTED],
  ['a version beside params', {}, { ...CALL, _meta: STATELESS_META }, CALLED],
  [
    'a version in the arguments',
    {},
    toolCall('fixture_cached', { _meta: STATELESS_META }),
    { kind: 'bad-arguments' },
  ],
  ['initialize without a revision', { accept: '*/*' }, rpc('initialize'), failed(200, -32601)],
  ['initialize with a number', {}, initialize(2025), failed(200, -32601)],
  ['ping', { accept: '*/*' }, rpc('ping'), failed(200, -32601)],
  ['server/discover', { accept: '*/*' }, rpc('server/discover'), failed(200, -32601)],
  ['subscriptions/listen', {}, rpc('subscriptions/listen'), failed(200, -32601)],
  ['a notification', {}, INITIALIZED, ACCEPTED],
  ['a response', {}, { jsonrpc: '2.0', id: 1, result: {} }, failed(200, -32600)],
  ['an unknown tool', {}, toolCall('no_such_tool'), failed(200, -32602)],
  ['a body that is not JSON', {}, '{"jsonrpc"', failed(400, -32700)],
  [
    'a batch',
    {},
    [CALL, INITIALIZED, rpc('ping', {}, 'p')],
    { kind: 'batch', entries: [[1], ['p', -32601]] },
  ],
  ['sessionid in lower case', {}, CALL, CALLED, '/mcp?sessionid=SESSION'],
  ['another parameter', {}, CALL, CALLED, '/mcp?utm_source=docs'],
]);

const STREAMABLE = rows('streamable-http', [
  ['SDK clients accept both', ACCEPTS_EVENTS, CALL, CALLED],
  [
    'VS Code accepts both in reverse order',
    { accept: 'text/event-stream, application/json' },
    CALL,
    CALLED,
  ],
  ['event streams alone', { accept: 'text/event-stream' }, CALL, CALLED],
  ['no space in Accept', { accept: 'application/json,text/event-stream' }, CALL, CALLED],
  ['extra space in Accept', { accept: 'application/json ,\ttext/event-stream ' }, CALL, CALLED],
  ['upper case in Accept', { accept: 'Application/JSON, Text/Event-Stream' }, CALL, CALLED],
  [
    'a weight for event streams',
    { accept: 'application/json, text/event-stream;q=0.5' },
    CALL,
    CALLED,
  ],
  ['a weight after a space', { accept: 'text/event-stream ; q=0.9, */*;q=0.1' }, CALL, CALLED],
  [
    'event streams among many',
    { accept: 'text/html, text/event-stream, image/*, */*' },
    CALL,
    CALLED,
  ],
  ['two Accept headers', { accept: ['application/json', 'text/event-stream'] }, CALL, CALLED],
  ['revision 2024-11-05', version('2024-11-05'), CALL, CALLED],
  ['revision 2025-03-26', version('2025-03-26'), CALL, CALLED],
  ['revision 2025-06-18', version('2025-06-18'), CALL, CALLED],
  ['revision 2025-11-25', version('2025-11-25'), CALL, CALLED],
  ['a revision in an upper-case header', { 'MCP-PROTOCOL-VERSION': '2025-11-25' }, CALL, CALLED],
  ['a revision and curl’s Accept', { accept: '*/*', ...version('2025-06-18') }, LIST, LISTED],
  ['a session id', { 'mcp-session-id': 'made-up' }, CALL, CALLED],
  ['a session id and curl’s Accept', { accept: '*/*', 'mcp-session-id': '1' }, LIST, LISTED],
  [
    'wrong headers of 2026-07-28',
    { ...ACCEPTS_EVENTS, 'mcp-method': 'x', 'mcp-name': 'y' },
    CALL,
    CALLED,
  ],
  ['a progress token', ACCEPTS_EVENTS, withMeta(CALL, { progressToken: 'p' }), CALLED],
  ['invalid arguments', ACCEPTS_EVENTS, BAD_CALL, { kind: 'bad-arguments' }],
  ['a list', ACCEPTS_EVENTS, LIST, LISTED],
  ['a list with empty params', version('2025-11-25'), rpc('tools/list', {}), LISTED],
  [
    'initialize, as SDK clients send it',
    ACCEPTS_EVENTS,
    initialize('2025-11-25', 0),
    { kind: 'initialized', revision: '2025-11-25' },
  ],
  [
    'initialize with a revision in the header too',
    { ...ACCEPTS_EVENTS, ...version('2025-06-18') },
    initialize('2025-06-18'),
    { kind: 'initialized', revision: '2025-06-18' },
  ],
  [
    'initialize for the revision without initialize',
    ACCEPTS_EVENTS,
    initialize(REVISION),
    { kind: 'initialized', revision: '2025-11-25' },
  ],
  ...[
    ['curl’s Accept', { accept: '*/*' }],
    ['application/json', { accept: 'application/json' }],
    ['no Accept', {}],
    ['a revision that never existed', version('2025-12-01')],
    ['the header of 2026-07-28', version(REVISION)],
    ['a later revision', version('2027-01-01')],
    ['a revision that is not a date', version('draft')],
  ].map(
    ([title, headers]): Row => [
      `initialize with ${title}`,
      headers as RawRequest['headers'],
      initialize('2025-06-18'),
      { kind: 'initialized', revision: '2025-06-18' },
    ],
  ),
  ['ping', ACCEPTS_EVENTS, rpc('ping'), { kind: 'empty' }],
  ['ping with a session id', { 'mcp-session-id': 's' }, rpc('ping', {}, 'p'), { kind: 'empty' }],
  ['server/discover', ACCEPTS_EVENTS, rpc('server/discover'), failed(200, -32601)],
  ['subscriptions/listen', ACCEPTS_EVENTS, rpc('subscriptions/listen'), failed(200, -32601)],
  ['an unknown method', version('2025-06-18'), rpc('resources/subscribe'), failed(200, -32601)],
  ['an unknown tool', ACCEPTS_EVENTS, toolCall('no_such_tool'), failed(200, -32602)],
  ['a notification', { ...ACCEPTS_EVENTS, ...version('2025-11-25') }, INITIALIZED, ACCEPTED],
  ['a response', ACCEPTS_EVENTS, { jsonrpc: '2.0', id: 9, result: {} }, ACCEPTED],
  [
    'a response that is an error',
    version('2025-11-25'),
    { jsonrpc: '2.0', id: 9, error: { code: -1, message: 'no' } },
    ACCEPTED,
  ],
  ['a body that is not JSON', ACCEPTS_EVENTS, 'tools/list', failed(400, -32700)],
  ['a body that is not JSON-RPC', ACCEPTS_EVENTS, { id: 1, method: 'ping' }, failed(400, -32600)],
  ['a body that is a number', version('2025-11-25'), '5', failed(400, -32600)],
  ['a revision that never existed', version('2025-01-01'), CALL, failed(400)],
  ['the day before 2026-07-28', version('2026-07-27'), CALL, failed(400)],
  ['a revision before the first', version('1'), CALL, failed(400)],
  ['two revisions in one header', version('2025-06-18, 2025-11-25'), CALL, failed(400)],
  [
    'a batch without a revision',
    ACCEPTS_EVENTS,
    [rpc('ping', {}, 'p'), INITIALIZED, rpc('x', {}, 'x')],
    { kind: 'batch', entries: [['p'], ['x', -32601]] },
  ],
  [
    'a batch of 2025-03-26',
    version('2025-03-26'),
    [rpc('ping', {}, 1), rpc('ping', {}, 2)],
    { kind: 'batch', entries: [[1], [2]] },
  ],
  ['a batch of notifications', ACCEPTS_EVENTS, [INITIALIZED, INITIALIZED], ACCEPTED],
  ['a batch of 2024-11-05', version('2024-11-05'), [rpc('ping')], failed(400, -32600)],
  ['a batch of 2025-06-18', version('2025-06-18'), [rpc('ping')], failed(400, -32600)],
  ['a batch of 2025-11-25', version('2025-11-25'), [rpc('ping')], failed(400, -32600)],
]);

const statelessSend = statelessCall('fixture_cached', { n: 1 });
const base64Name = `=?base64?${Buffer.from('fixture_cached').toString('base64')}?=`;
const STATELESS = rows('stateless', [
  ['all that 2026-07-28 requires', statelessSend.headers, statelessSend.body, CALLED],
  [
    'and the Accept of SDK clients',
    { ...statelessSend.headers, ...ACCEPTS_EVENTS },
    statelessSend.body,
    CALLED,
  ],
  [
    'and a session id, which is ignored',
    { ...statelessSend.headers, 'mcp-session-id': 'old' },
    statelessSend.body,
    CALLED,
  ],
  [
    'a name in base64',
    { ...statelessSend.headers, 'mcp-name': base64Name },
    statelessSend.body,
    CALLED,
  ],
  ['a list', stateless('tools/list').headers, stateless('tools/list').body, LISTED],
  [
    'server/discover, the first request of v2 clients',
    stateless('server/discover').headers,
    stateless('server/discover', {}, 'server-discover-probe-1').body,
    { kind: 'discovery' },
  ],
  [
    'invalid arguments',
    statelessSend.headers,
    statelessCall('fixture_cached', { n: 'one' }).body,
    { kind: 'bad-arguments' },
  ],
  [
    'an unknown tool',
    statelessCall('no_such_tool').headers,
    statelessCall('no_such_tool').body,
    failed(200, -32602),
  ],
  [
    'initialize',
    stateless('initialize').headers,
    stateless('initialize').body,
    failed(404, -32601),
  ],
  ['ping', stateless('ping').headers, stateless('ping').body, failed(404, -32601)],
  ['an unknown method', stateless('x/y').headers, stateless('x/y').body, failed(404, -32601)],
  [
    'a notification',
    stateless('notifications/cancelled').headers,
    notification('notifications/cancelled', { requestId: 1, _meta: STATELESS_META }),
    ACCEPTED,
  ],
  ['a claim without headers', {}, statelessSend.body, failed(400, -32020)],
  [
    'a claim with the Accept of SDK clients',
    ACCEPTS_EVENTS,
    statelessSend.body,
    failed(400, -32020),
  ],
  [
    'a claim beside an older header',
    version('2025-11-25'),
    statelessSend.body,
    failed(400, -32020),
  ],
  [
    'a claim that is not a string',
    {},
    withMeta(CALL, { ...STATELESS_META, [META.version]: 7 }),
    failed(400, -32602),
  ],
  [
    'a claim that is null',
    {},
    withMeta(CALL, { ...STATELESS_META, [META.version]: null }),
    failed(400, -32602),
  ],
  [
    'a claim without capabilities',
    {},
    withMeta(CALL, { [META.version]: REVISION }),
    failed(400, -32602),
  ],
  ['the header without a claim', statelessSend.headers, CALL, failed(400, -32602)],
  [
    'an older revision in both',
    { ...statelessSend.headers, ...version('2025-11-25') },
    withMeta(CALL, { ...STATELESS_META, [META.version]: '2025-11-25' }),
    failed(400, -32022),
  ],
  [
    'a later revision in both',
    { ...statelessSend.headers, ...version('2027-01-01') },
    withMeta(CALL, { ...STATELESS_META, [META.version]: '2027-01-01' }),
    failed(400, -32022),
  ],
  ['a later revision in the header', version('2027-01-01'), CALL, failed(400, -32602)],
  [
    'another method in the header',
    { ...statelessSend.headers, 'mcp-method': 'tools/list' },
    statelessSend.body,
    failed(400, -32020),
  ],
  [
    'a method in upper case',
    { ...statelessSend.headers, 'mcp-method': 'TOOLS/CALL' },
    statelessSend.body,
    failed(400, -32020),
  ],
  [
    'another name in the header',
    { ...statelessSend.headers, 'mcp-name': 'fixture_brief' },
    statelessSend.body,
    failed(400, -32020),
  ],
  [
    'another name in base64',
    { ...statelessSend.headers, 'mcp-name': '=?base64?Zml4dHVyZV9icmllZg==?=' },
    statelessSend.body,
    failed(400, -32020),
  ],
  [
    'a name in invalid base64',
    { ...statelessSend.headers, 'mcp-name': '=?base64?***?=' },
    statelessSend.body,
    failed(400, -32020),
  ],
  ['a response', version(REVISION), { jsonrpc: '2.0', id: 1, result: {} }, failed(400)],
  ['a body that is not JSON', version(REVISION), '{', failed(400, -32700)],
  ['a body that is a string', version(REVISION), '"ping"', failed(400, -32600)],
  ['a batch', statelessSend.headers, [statelessSend.body], failed(400, -32600)],
  ['a batch without a claim', version(REVISION), [CALL], failed(400, -32600)],
]);

const HTTP_SSE = rows('http-sse', [
  [
    'any Accept',
    { accept: '*/*' },
    toolCall('fixture_cached', { n: 1 }, 'sse-1'),
    CALLED,
    '/mcp?sessionId=SESSION',
  ],
  [
    'the Accept of Streamable HTTP',
    ACCEPTS_EVENTS,
    toolCall('fixture_cached', { n: 1 }, 'sse-2'),
    CALLED,
    '/mcp?sessionId=SESSION',
  ],
  [
    'a revision, as newer SDKs send it',
    version('2025-11-25'),
    rpc('tools/list', {}, 'sse-3'),
    LISTED,
    '/mcp?sessionId=SESSION',
  ],
  [
    'all that 2026-07-28 requires',
    stateless('server/discover').headers,
    stateless('server/discover', {}, 'sse-4').body,
    failed(202, -32601),
    '/mcp?sessionId=SESSION',
  ],
  [
    'more parameters',
    {},
    rpc('ping', {}, 'sse-5'),
    { kind: 'empty' },
    '/mcp?a=b&sessionId=SESSION',
  ],
  [
    'initialize',
    {},
    initialize('2024-11-05', 'sse-6'),
    { kind: 'initialized', revision: '2024-11-05' },
    '/mcp?sessionId=SESSION',
  ],
  [
    'invalid arguments',
    {},
    toolCall('fixture_cached', { n: 'one' }, 'sse-7'),
    { kind: 'bad-arguments' },
    '/mcp?sessionId=SESSION',
  ],
  ['a notification', {}, INITIALIZED, ACCEPTED, '/mcp?sessionId=SESSION'],
  ['a response', {}, { jsonrpc: '2.0', id: 1, result: {} }, ACCEPTED, '/mcp?sessionId=SESSION'],
]);

const UNTOLD = rows(null, [
  ['a revision that is not a date', version('garbage'), CALL, failed(400)],
  ['a revision of a draft', version('DRAFT-2026-v1'), CALL, failed(400)],
  ['a batch with one modern element', {}, [CALL, statelessSend.body], failed(400, -32600)],
  [
    'a batch with one modern element, and Accept',
    ACCEPTS_EVENTS,
    [CALL, statelessSend.body],
    failed(400, -32600),
  ],
  ['an unknown session', {}, CALL, { kind: 'refused', status: 404 }, '/mcp?sessionId=sse_nobody'],
  [
    'text/plain for Streamable HTTP',
    { ...ACCEPTS_EVENTS, 'content-type': 'text/plain' },
    CALL,
    { kind: 'refused', status: 415 },
  ],
  [
    'a form for 2026-07-28',
    { ...statelessSend.headers, 'content-type': 'application/x-www-form-urlencoded' },
    statelessSend.body,
    { kind: 'refused', status: 415 },
  ],
]);

const WITHOUT_A_KEY: McpRequest[] = rows(null, [
  ['plain', {}, CALL, { kind: 'refused', status: 401 }],
  ['Streamable HTTP', ACCEPTS_EVENTS, initialize('2025-11-25'), { kind: 'refused', status: 401 }],
  ['2026-07-28', statelessSend.headers, statelessSend.body, { kind: 'refused', status: 401 }],
  ['HTTP+SSE', {}, CALL, { kind: 'refused', status: 401 }, '/mcp?sessionId=SESSION'],
  ['a body that is not JSON', {}, '{', { kind: 'refused', status: 401 }],
]).map((each) => ({ ...each, title: `${each.title}, without a key`, hasKey: false }));

/** Requests with the signs of several dialects, each with the dialect that the first sign selects. */
export const MCP_REQUESTS: readonly McpRequest[] = [
  ...PLAIN_CALLERS,
  ...STILL_PLAIN,
  ...STREAMABLE,
  ...STATELESS,
  ...HTTP_SSE,
  ...UNTOLD,
  ...WITHOUT_A_KEY,
];
