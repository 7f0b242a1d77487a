import type { Before, Entry, Fields, HttpRequest, Post } from '../corpus-request.ts';

type RequestId = string | number | null;

/** A JSON-RPC request. */
export const rpc = (method: string, params?: unknown, id: RequestId = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

export const call = (name: string, args: object = {}, id: RequestId = 1) =>
  rpc('tools/call', { name, arguments: args }, id);

export const notification = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});

export const initialize = (protocolVersion: unknown, id: RequestId = 1) =>
  rpc(
    'initialize',
    { protocolVersion, capabilities: {}, clientInfo: { name: 'corpus', version: '1' } },
    id,
  );

/** The revision of MCP without sessions. */
export const REVISION = '2026-07-28';
export const VERSION = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** What every request of that revision has in `params._meta`. */
export const META = {
  [VERSION]: REVISION,
  [CAPABILITIES]: {},
  'io.modelcontextprotocol/clientInfo': { name: 'corpus', version: '1' },
};

/** And in its headers. */
export const fieldsOf = (method: string, params: object = {}): Fields => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
});

/** A call that is answered from the cache once it has been made. */
export const CALL = call('fixture_cached', { n: 1 });

export const INITIALIZED = notification('notifications/initialized');

/** What clients of Streamable HTTP accept. */
export const ACCEPTS_EVENTS = { accept: 'application/json, text/event-stream' };

export const KEY = { 'x-api-key': '{{key}}' };

/** `POST /mcp` with a key; text and bytes go out as they are, everything else as JSON. */
export function toPost(body: unknown, fields: Fields = {}, path = '/mcp'): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...KEY, ...fields },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  };
}

/** One line of a table of posts. */
export type PostRow = readonly [
  title: string,
  body: unknown,
  fields?: Fields,
  path?: string | undefined,
];

export const posts = (rows: readonly PostRow[]): Entry[] =>
  rows.map(([title, body, fields, path]) => ({
    kind: 'request',
    title,
    ...toPost(body, fields, path),
  }));

/** One line of a table of requests without a body. */
export type AskRow = readonly [title: string, methodAndPath: string, fields?: Fields];

/** `GET /path` and the like, with no fields but those given. */
export const asks = (rows: readonly AskRow[]): Entry[] =>
  rows.map(([title, methodAndPath, headers = {}]) => {
    const [method = '', path = ''] = methodAndPath.split(' ');
    return { kind: 'request', title, method, path, headers };
  });

/** The same with a key. */
export const keyedAsks = (rows: readonly AskRow[]): Entry[] =>
  asks(rows.map(([title, methodAndPath, fields]) => [title, methodAndPath, { ...KEY, ...fields }]));

/** Entries under a common word, so that titles differ. */
export const under = (word: string, entries: readonly Entry[]): Entry[] =>
  entries.map((entry) => ({ ...entry, title: `${word}: ${entry.title}` }));

export const after = (before: Before, [entry]: readonly Entry[]): Entry[] =>
  entry ? [{ ...entry, before }] : [];

/** A post on the stream that is open, with how many events it makes. */
export const onStream = (body: unknown, events: number, fields: Fields = {}): Post => ({
  ...toPost(body, fields, '/mcp?sessionId={{session}}'),
  events,
});
