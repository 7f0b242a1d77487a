import type { Arguments } from './form-values.ts';

export interface SnippetCall {
  /** Where clients reach the gateway. */
  readonly gatewayUrl: string;
  readonly tool: string;
  readonly arguments: Arguments;
}

/** Stands for an API key, which is never shown again after it was created. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** The JSON-RPC request of `POST /mcp`. */
export const rpcRequest = ({ tool, arguments: args }: SnippetCall): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: tool, arguments: args },
});

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** A word of a shell: `'` ends the quotes, is escaped, and starts them again. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const address = ({ gatewayUrl }: SnippetCall): string => `${gatewayUrl.replace(/\/$/, '')}/mcp`;

export const curlSnippet = (call: SnippetCall): string =>
  [
    `curl -s ${shellWord(address(call))}`,
    `-H ${shellWord(`x-api-key: ${KEY_PLACEHOLDER}`)}`,
    "-H 'content-type: application/json'",
    `-d ${shellWord(JSON.stringify(rpcRequest(call)))}`,
  ].join(' \\\n  ');

export const typescriptSnippet = (call: SnippetCall): string =>
  `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client(
  { name: 'my-app', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(
  new StreamableHTTPClientTransport(new URL(${JSON.stringify(address(call))}), {
    requestInit: { headers: { 'x-api-key': '${KEY_PLACEHOLDER}' } },
  }),
);

const result = await client.callTool({
  name: ${JSON.stringify(call.tool)},
  arguments: ${indent(pretty(call.arguments))},
});
console.log(result.structuredContent);
await client.close();`;

export const pythonSnippet = (call: SnippetCall): string =>
  `import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    headers = {"x-api-key": "${KEY_PLACEHOLDER}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(
            ${JSON.stringify(address(call))}, http_client=http_client
        )
        async with Client(transport) as client:
            result = await client.call_tool(
                ${JSON.stringify(call.tool)},
                ${pythonValue(call.arguments)},
            )
            print(result.structured_content)


asyncio.run(main())`;

/** For clients that read \`mcpServers\`; the address offers only this tool. */
export const mcpSnippet = (call: SnippetCall): string =>
  pretty({
    mcpServers: {
      'tool-gateway': {
        type: 'http',
        url: `${address(call)}?tools=${encodeURIComponent(call.tool)}`,
        headers: { 'x-api-key': KEY_PLACEHOLDER },
      },
    },
  });

const indent = (text: string): string => text.replaceAll('\n', '\n  ');

/** JSON as Python writes it. */
export function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member)}`,
  );
  return `{${members.join(', ')}}`;
}
