import { curlCommand, KEY_PLACEHOLDER, mcpAddress, toolCall } from '../shared/curl.ts';
import type { Arguments } from './form-values.ts';

export interface SnippetCall {
  /** Where clients reach the gateway. */
  readonly gatewayUrl: string;
  readonly tool: string;
  readonly arguments: Arguments;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

export const curlSnippet = ({ gatewayUrl, tool, arguments: args }: SnippetCall): string =>
  curlCommand(gatewayUrl, toolCall(tool, args));

export const typescriptSnippet = (call: SnippetCall): string =>
  `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client(
  { name: 'my-app', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(
  new StreamableHTTPClientTransport(new URL(${JSON.stringify(mcpAddress(call.gatewayUrl))}), {
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
            ${JSON.stringify(mcpAddress(call.gatewayUrl))}, http_client=http_client
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
        url: `${mcpAddress(call.gatewayUrl)}?tools=${encodeURIComponent(call.tool)}`,
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
