import {
  Client,
  type ClientOptions,
  // biome-ignore lint/suspicious/noDeprecatedImports: tested because clients still offer it.
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { type ClientCase, keyHeader, type McpSession, type Target } from './mcp-session.ts';

export type TransportName = 'http' | 'sse';

const CLIENT = { name: 'gateway-test', version: '1.0.0' };

/** Connects a client of the TypeScript SDK 2. */
export async function connectClient(
  { url, key }: Target,
  transport: TransportName,
  options: ClientOptions,
): Promise<Client> {
  const client = new Client(CLIENT, options);
  const requestInit = { headers: keyHeader(key) };
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit })
      : new SSEClientTransport(new URL(`${url}/mcp/sse`), { requestInit }),
  );
  return client;
}

async function openSession(
  target: Target,
  transport: TransportName,
  mode: VersionNegotiationMode,
): Promise<McpSession> {
  const { onToolsChanged: onChanged } = target;
  const client = await connectClient(target, transport, {
    versionNegotiation: { mode },
    ...(onChanged && { listChanged: { tools: { debounceMs: 0, autoRefresh: false, onChanged } } }),
  });
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

const CASES: readonly [
  name: string,
  ClientCase['dialect'],
  TransportName,
  VersionNegotiationMode,
][] = [
  ['auto', 'stateless', 'http', 'auto'],
  ['pinned to 2026-07-28', 'stateless', 'http', { pin: '2026-07-28' }],
  ['legacy', 'streamable-http', 'http', 'legacy'],
  ['legacy, SSE', 'http-sse', 'sse', 'legacy'],
  ['auto, SSE', 'http-sse', 'sse', 'auto'],
];

export const TYPESCRIPT_CLIENTS: readonly ClientCase[] = CASES.map(
  ([name, dialect, transport, mode]) => ({
    name: `@modelcontextprotocol/client 2.4 ${name}`,
    dialect,
    // Over streamable HTTP, changes come on the subscription of a stateless client only.
    hearsChanges: dialect !== 'streamable-http',
    connect: (target) => openSession(target, transport, mode),
  }),
);
