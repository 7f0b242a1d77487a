import { Client as Client12 } from 'sdk-1.12/client/index.js';
import {
  type SSEClientTransportOptions,
  SSEClientTransport as SseTransport12,
} from 'sdk-1.12/client/sse.js';
import { StreamableHTTPClientTransport as HttpTransport12 } from 'sdk-1.12/client/streamableHttp.js';
import type { Transport as Transport12 } from 'sdk-1.12/shared/transport.js';
import { ToolListChangedNotificationSchema as ToolsChanged12 } from 'sdk-1.12/types.js';
import { Client as Client32 } from 'sdk-1.32/client/index.js';
import { SSEClientTransport as SseTransport32 } from 'sdk-1.32/client/sse.js';
import { StreamableHTTPClientTransport as HttpTransport32 } from 'sdk-1.32/client/streamableHttp.js';
import type { Transport as Transport32 } from 'sdk-1.32/shared/transport.js';
import { ToolListChangedNotificationSchema as ToolsChanged32 } from 'sdk-1.32/types.js';
import {
  bearerHeader,
  type ClientCase,
  keyHeader,
  type McpSession,
  type Target,
  type ToolResult,
} from './mcp-session.ts';

const CLIENT = { name: 'gateway-test', version: '1.0.0' };

const mcpUrl = ({ url }: Target): URL => new URL(`${url}/mcp`);
const sseUrl = ({ url }: Target): URL => new URL(`${url}/mcp/sse`);

/** What the releases of SDK 1 used here have in common. */
interface Sdk1Client {
  listTools(): Promise<{ tools: Awaited<ReturnType<McpSession['listTools']>> }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

export const sessionOf = (client: Sdk1Client): McpSession => ({
  listTools: async () => (await client.listTools()).tools,
  // The declared type still allows the `toolResult` of 2024, which no server sends.
  callTool: async (name, args) =>
    (await client.callTool({ name, arguments: args })) as unknown as ToolResult,
  close: () => client.close(),
});

/** A client that is not connected yet, as mcp-remote needs it too. */
export function newClient32({ onToolsChanged }: Target): Client32 {
  const client = new Client32(CLIENT);
  client.setNotificationHandler(ToolsChanged32, () => onToolsChanged?.());
  return client;
}

async function open32(
  target: Target,
  transport: HttpTransport32 | SseTransport32,
): Promise<McpSession> {
  const client = newClient32(target);
  await client.connect(transport as Transport32);
  return sessionOf(client);
}

async function open12(
  target: Target,
  transport: HttpTransport12 | SseTransport12,
): Promise<McpSession> {
  const client = new Client12(CLIENT);
  client.setNotificationHandler(ToolsChanged12, () => target.onToolsChanged?.());
  await client.connect(transport as Transport12);
  return sessionOf(client);
}

/** Releases up to 1.12.0 send `requestInit.headers` on their POSTs only; without this the stream has no key. */
const keyOnStream = (key: string): SSEClientTransportOptions => ({
  eventSourceInit: {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...keyHeader(key) } }),
  },
});

/** SDK 1.12.0 over SSE, configured like newer releases, so that it opens the stream without a key. */
export const connectSse12WithoutKeyOnStream = (target: Target): Promise<McpSession> =>
  open12(
    target,
    new SseTransport12(sseUrl(target), { requestInit: { headers: keyHeader(target.key) } }),
  );

export const TYPESCRIPT_SDK_1: readonly ClientCase[] = [
  {
    name: '@modelcontextprotocol/sdk 1.32',
    dialect: 'streamable-http',
    connect: (target) =>
      open32(
        target,
        new HttpTransport32(mcpUrl(target), { requestInit: { headers: bearerHeader(target.key) } }),
      ),
  },
  {
    name: '@modelcontextprotocol/sdk 1.32 SSE',
    dialect: 'http-sse',
    hearsChanges: true,
    connect: (target) =>
      open32(
        target,
        new SseTransport32(sseUrl(target), { requestInit: { headers: bearerHeader(target.key) } }),
      ),
  },
  {
    name: '@modelcontextprotocol/sdk 1.12',
    dialect: 'streamable-http',
    connect: (target) =>
      open12(
        target,
        new HttpTransport12(mcpUrl(target), { requestInit: { headers: keyHeader(target.key) } }),
      ),
  },
  {
    name: '@modelcontextprotocol/sdk 1.12 SSE',
    dialect: 'http-sse',
    hearsChanges: true,
    connect: (target) =>
      open12(
        target,
        new SseTransport12(sseUrl(target), {
          requestInit: { headers: keyHeader(target.key) },
          ...keyOnStream(target.key),
        }),
      ),
  },
];
