import { createMCPClient, type MCPClientConfig } from '@ai-sdk/mcp';
import { type ClientCase, keyHeader, type McpSession, type ToolResult } from './mcp-session.ts';

async function openSession(config: MCPClientConfig): Promise<McpSession> {
  const client = await createMCPClient(config);
  return {
    listTools: async () => (await client.listTools()).tools,
    // The declared type still allows the `toolResult` of 2024, which no server sends.
    callTool: async (name, args) =>
      (await client.callTool({ name, arguments: args })) as unknown as ToolResult,
    close: () => client.close(),
  };
}

export const AI_SDK: readonly ClientCase[] = [
  {
    name: '@ai-sdk/mcp http',
    dialect: 'stateless',
    connect: ({ url, key }) =>
      openSession({ transport: { type: 'http', url: `${url}/mcp`, headers: keyHeader(key) } }),
  },
  {
    name: '@ai-sdk/mcp http, without discovery',
    dialect: 'streamable-http',
    connect: ({ url, key }) =>
      openSession({
        transport: { type: 'http', url: `${url}/mcp`, headers: keyHeader(key) },
        protocolVersionDiscovery: false,
      }),
  },
  {
    name: '@ai-sdk/mcp sse',
    dialect: 'http-sse',
    connect: ({ url, key }) =>
      openSession({ transport: { type: 'sse', url: `${url}/mcp/sse`, headers: keyHeader(key) } }),
  },
];
