/** JSON-RPC messages as clients of MCP send them. */

export type RequestId = string | number | null;

/** The MCP revision without sessions. */
export const REVISION = '2026-07-28';

/** Members of `_meta`. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The header that clients of Streamable HTTP send. */
export const ACCEPTS_EVENTS = { accept: 'application/json, text/event-stream' };

export const notification = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});

export const INITIALIZED = notification('notifications/initialized');

export const rpc = (method: string, params?: unknown, id: RequestId = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

export const toolCall = (name: string, args: object = {}, id: RequestId = 1) =>
  rpc('tools/call', { name, arguments: args }, id);

const clientInfo = (name: string) => ({ name, version: '1' });

/** Builds the `initialize` requests of a client. */
export const initializeAs =
  (client: string) =>
  (protocolVersion: unknown, id: RequestId = 1) =>
    rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: clientInfo(client) }, id);

/** `params._meta` of every 2026-07-28 request of a client. */
export const statelessMeta = (client: string) => ({
  [META.version]: REVISION,
  [META.capabilities]: {},
  [META.client]: clientInfo(client),
});

/** The headers that 2026-07-28 requires of a request. */
export const statelessHeaders = (
  method: string,
  { name, uri = name }: { readonly name?: unknown; readonly uri?: unknown } = {},
) => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...(uri === undefined ? {} : { 'mcp-name': String(uri) }),
});
