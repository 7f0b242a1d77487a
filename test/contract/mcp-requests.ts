import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/client';
import { LEGACY_REVISIONS as LEGACY } from '../../src/dialects/mcp/shared/revisions.ts';
import type { RawRequest } from '../support/raw-request.ts';
import {
  ACCEPTS_EVENTS,
  INITIALIZED,
  initializeAs,
  META,
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

const PLAIN = rows('plain', [
  ['curl', { accept: '*/*', 'user-agent': 'curl/8.5.0' }, CALL, CALLED],
  [
    'Java, which offers HTTP/2',
    {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
    },
    CALL,
    CALLED,
  ],
  ['a list', { accept: '*/*' }, LIST, LISTED],
  ['invalid arguments', { accept: '*/*' }, BAD_CALL, { kind: 'bad-arguments' }],
  ['client information in _meta', {}, withMeta(CALL, { [META.client]: { name: 'x' } }), CALLED],
  ['a _meta that is a string', {}, withMeta(LIST, META.version), LISTED],
  ['a version beside params', {}, { ...CALL, _meta: STATELESS_META }, CALLED],
  ['initialize with a number', {}, initialize(2025), failed(200, -32601)],
  ['subscriptions/listen', {}, rpc('subscriptions/listen'), failed(200, -32601)],
  ['a response', {}, { jsonrpc: '2.0', id: 1, result: {} }, failed(200, -32600)],
  [
    'a batch',
    {},
    [CALL, INITIALIZED, rpc('ping', {}, 'p')],
    { kind: 'batch', entries: [[1], ['p', -32601]] },
  ],
  ['sessionid in lower case', {}, CALL, CALLED, '/mcp?sessionid=SESSION'],
]);

const STREAMABLE = rows('streamable-http', [
  ['SDK clients accept both', ACCEPTS_EVENTS, CALL, CALLED],
  ['two Accept headers', { accept: ['application/json', 'text/event-stream'] }, CALL, CALLED],
  ['a revision in an upper-case header', { 'MCP-PROTOCOL-VERSION': '2025-11-25' }, CALL, CALLED],
  [
    'wrong headers of 2026-07-28',
    { ...ACCEPTS_EVENTS, 'mcp-method': 'x', 'mcp-name': 'y' },
    CALL,
    CALLED,
  ],
  ['invalid arguments', ACCEPTS_EVENTS, BAD_CALL, { kind: 'bad-arguments' }],
  ['a list with empty params', version('2025-11-25'), rpc('tools/list', {}), LISTED],
  [
    'initialize with another revision in the header',
    { ...ACCEPTS_EVENTS, ...version('draft') },
    initialize('2025-06-18'),
    { kind: 'initialized', revision: '2025-06-18' },
  ],
  ['ping with a session id', { 'mcp-session-id': 's' }, rpc('ping', {}, 'p'), { kind: 'empty' }],
  ['subscriptions/listen', ACCEPTS_EVENTS, rpc('subscriptions/listen'), failed(200, -32601)],
  [
    'a response that is an error',
    version('2025-11-25'),
    { jsonrpc: '2.0', id: 9, error: { code: -1, message: 'no' } },
    ACCEPTED,
  ],
  ['the day before 2026-07-28', version('2026-07-27'), CALL, failed(400)],
  ['two revisions in one header', version('2025-06-18, 2025-11-25'), CALL, failed(400)],
  ['a batch of notifications', ACCEPTS_EVENTS, [INITIALIZED, INITIALIZED], ACCEPTED],
  ['a batch of 2025-11-25', version('2025-11-25'), [rpc('ping')], failed(400, -32600)],
]);

const statelessSend = statelessCall('fixture_cached', { n: 1 });
const STATELESS = rows('stateless', [
  ['all that 2026-07-28 requires', statelessSend.headers, statelessSend.body, CALLED],
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
    'a claim beside an older header',
    version('2025-11-25'),
    statelessSend.body,
    failed(400, -32020),
  ],
  ['the header without a claim', statelessSend.headers, CALL, failed(400, -32602)],
  [
    'an older revision in both',
    { ...statelessSend.headers, ...version('2025-11-25') },
    withMeta(CALL, { ...STATELESS_META, [META.version]: '2025-11-25' }),
    failed(400, -32022),
  ],
  ['a body that is a string', version(REVISION), '"ping"', failed(400, -32600)],
  ['a batch without a claim', version(REVISION), [CALL], failed(400, -32600)],
]);

const SESSION = '/mcp?sessionId=SESSION';
const HTTP_SSE = rows('http-sse', [
  ['any Accept', { accept: '*/*' }, toolCall('fixture_cached', { n: 1 }, 'sse-1'), CALLED, SESSION],
  [
    'a revision, as newer SDKs send it',
    version('2025-11-25'),
    rpc('tools/list', {}, 'sse-3'),
    LISTED,
    SESSION,
  ],
  [
    'all that 2026-07-28 requires',
    stateless('server/discover').headers,
    stateless('server/discover', {}, 'sse-4').body,
    failed(202, -32601),
    SESSION,
  ],
  [
    'initialize',
    {},
    initialize('2024-11-05', 'sse-6'),
    { kind: 'initialized', revision: '2024-11-05' },
    SESSION,
  ],
  [
    'invalid arguments',
    {},
    toolCall('fixture_cached', { n: 'one' }, 'sse-7'),
    { kind: 'bad-arguments' },
    SESSION,
  ],
]);

const UNTOLD = rows(null, [
  ['a batch with one modern element', {}, [CALL, statelessSend.body], failed(400, -32600)],
  [
    'a form for 2026-07-28',
    { ...statelessSend.headers, 'content-type': 'application/x-www-form-urlencoded' },
    statelessSend.body,
    { kind: 'refused', status: 415 },
  ],
]);

const WITHOUT_A_KEY: McpRequest[] = rows(null, [
  ['Streamable HTTP', ACCEPTS_EVENTS, initialize('2025-11-25'), { kind: 'refused', status: 401 }],
  ['2026-07-28', statelessSend.headers, statelessSend.body, { kind: 'refused', status: 401 }],
  ['HTTP+SSE', {}, CALL, { kind: 'refused', status: 401 }, SESSION],
  ['a body that is not JSON', {}, '{', { kind: 'refused', status: 401 }],
]).map((each) => ({ ...each, title: `${each.title}, without a key`, hasKey: false }));

/** Requests with the signs of several dialects, each with the dialect that the first sign selects. */
export const MCP_REQUESTS: readonly McpRequest[] = [
  ...PLAIN,
  ...STREAMABLE,
  ...STATELESS,
  ...HTTP_SSE,
  ...UNTOLD,
  ...WITHOUT_A_KEY,
];
