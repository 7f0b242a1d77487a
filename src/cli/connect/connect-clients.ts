import { resolve } from 'node:path';
import { mcpAddress, type NarrowingOptions } from '../shared/gateway-address.ts';
import { pythonString, shellWord, typescriptString } from './connect-quote.ts';

/** What a client is to be connected to. */
export interface ConnectTarget extends NarrowingOptions {
  /** Address of the gateway. */
  readonly url: string;
  readonly key: string;
}

/** A program or library that speaks MCP. */
interface ConnectClient {
  readonly title: string;
  /** Where the snippet goes, in one sentence. */
  readonly place: string;
  /** Of the snippet, as code blocks name it. */
  readonly language: 'json' | 'sh' | 'text' | 'ts' | 'python';
  readonly snippet: (target: ConnectTarget) => string;
}

/** What the gateway is called in a client. Clients put it before the names of tools, where it counts. */
const NAME = 'tool-gateway';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const address = (target: ConnectTarget): string => mcpAddress(target.url, target);

const headers = ({ key }: ConnectTarget): Record<string, string> => ({ 'x-api-key': key });

/** How a host starts the bridge of this very installation. The environment keeps the key out of process lists. */
function bridge({ url, key, tools, category }: ConnectTarget): object {
  return {
    command: process.execPath,
    args: [
      resolve(import.meta.dirname, '../../main.ts'),
      'stdio',
      '--url',
      url,
      ...(category ? ['--category', category] : []),
      ...(tools ? ['--tools', tools] : []),
    ],
    env: { TOOL_GATEWAY_API_KEY: key },
  };
}

const bridgeConfig = (target: ConnectTarget): string =>
  json({ mcpServers: { [NAME]: bridge(target) } });

/** Every client that `connect` knows, in their configuration formats of November 2026. */
export const CONNECT_CLIENTS = {
  'claude-code': {
    title: 'Claude Code',
    place: 'Run this in a project; with --scope user before the name it is there in all of them.',
    language: 'sh',
    snippet: (target) =>
      `claude mcp add --transport http ${NAME} ${shellWord(address(target))} --header ${shellWord(`x-api-key: ${target.key}`)}`,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    place:
      'Put this into claude_desktop_config.json (Settings > Developer > Edit Config), and start Claude Desktop again.',
    language: 'json',
    snippet: bridgeConfig,
  },
  'claude-ai': {
    title: 'claude.ai',
    place:
      'Put these into Customize > Connectors > Add custom connector; the address must be reachable from the internet, with https.',
    language: 'text',
    snippet: (target) =>
      [
        `Name: ${NAME}`,
        `Remote MCP server URL: ${address(target)}`,
        `Request header: x-api-key: ${target.key}`,
      ].join('\n'),
  },
  cursor: {
    title: 'Cursor',
    place: 'Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json of a project.',
    language: 'json',
    snippet: (target) =>
      json({ mcpServers: { [NAME]: { url: address(target), headers: headers(target) } } }),
  },
  vscode: {
    title: 'VS Code',
    place:
      'Put this into .vscode/mcp.json of a workspace, or into your own with "MCP: Open User Configuration".',
    language: 'json',
    snippet: (target) =>
      json({
        servers: { [NAME]: { type: 'http', url: address(target), headers: headers(target) } },
      }),
  },
  windsurf: {
    title: 'Windsurf (Devin Desktop), Cascade',
    place:
      'Put this into ~/.codeium/windsurf/mcp_config.json, and refresh the list of MCP servers.',
    language: 'json',
    snippet: (target) =>
      json({ mcpServers: { [NAME]: { serverUrl: address(target), headers: headers(target) } } }),
  },
  inspector: {
    title: 'MCP Inspector',
    place: 'Run this in a terminal with Node.js 22.19 or newer; it lists the tools.',
    language: 'sh',
    snippet: (target) =>
      [
        `npx @modelcontextprotocol/inspector --cli ${shellWord(address(target))} --transport http`,
        `--header ${shellWord(`x-api-key: ${target.key}`)}`,
        '--method tools/list',
      ].join(' \\\n  '),
  },
  'typescript-sdk': {
    title: 'TypeScript SDK (@modelcontextprotocol/client 2)',
    place: 'Put this into a module, after "npm install @modelcontextprotocol/client".',
    language: 'ts',
    snippet: (
      target,
    ) => `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client(
  { name: 'my-app', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(
  new StreamableHTTPClientTransport(new URL(${typescriptString(address(target))}), {
    requestInit: { headers: { 'x-api-key': ${typescriptString(target.key)} } },
  }),
);

const { tools } = await client.listTools();
console.log(tools.map((tool) => tool.name));
await client.close();`,
  },
  'python-sdk': {
    title: 'Python SDK (mcp 2)',
    place: 'Put this into a program, after "pip install mcp".',
    language: 'python',
    snippet: (target) => `import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    headers = {"x-api-key": ${pythonString(target.key)}}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(
            ${pythonString(address(target))}, http_client=http_client
        )
        async with Client(transport) as client:
            tools = (await client.list_tools()).tools
            print([tool.name for tool in tools])


asyncio.run(main())`,
  },
  langchain: {
    title: 'LangChain (langchain 1.4, Python)',
    place: `Put this into a program, after "pip install 'langchain[mcp]'".`,
    language: 'python',
    snippet: (target) => `import asyncio

from langchain.mcp import MCPAdapter

config = {
    "mcpServers": {
        "${NAME}": {
            "url": ${pythonString(address(target))},
            "headers": {"x-api-key": ${pythonString(target.key)}},
        }
    }
}


async def main():
    async with MCPAdapter(config) as adapter:
        tools = await adapter.list_tools()
        print([tool.name for tool in tools])


asyncio.run(main())`,
  },
  'openai-agents': {
    title: 'OpenAI Agents SDK (Python)',
    place: 'Put this into a program, after "pip install openai-agents".',
    language: 'python',
    snippet: (target) => `import asyncio

from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp


async def main():
    async with MCPServerStreamableHttp(
        name="${NAME}",
        params={
            "url": ${pythonString(address(target))},
            "headers": {"x-api-key": ${pythonString(target.key)}},
        },
        cache_tools_list=True,
        client_session_timeout_seconds=60,
    ) as server:
        agent = Agent(name="assistant", instructions="Use the tools.", mcp_servers=[server])
        result = await Runner.run(agent, "How many Korean won is one US dollar?")
        print(result.final_output)


asyncio.run(main())`,
  },
  'ai-sdk': {
    title: 'AI SDK (@ai-sdk/mcp)',
    place: 'Put this into a module, after "npm install @ai-sdk/mcp".',
    language: 'ts',
    snippet: (target) => `import { createMCPClient } from '@ai-sdk/mcp';

const client = await createMCPClient({
  transport: {
    type: 'http',
    url: ${typescriptString(address(target))},
    headers: { 'x-api-key': ${typescriptString(target.key)} },
  },
});

const tools = await client.tools();
console.log(Object.keys(tools));
await client.close();`,
  },
  curl: {
    title: 'curl',
    place: 'Run this in a terminal; it lists three tools.',
    language: 'sh',
    snippet: (target) =>
      [
        `curl -s ${shellWord(address(target))}`,
        `-H ${shellWord(`x-api-key: ${target.key}`)} -H 'content-type: application/json'`,
        `-d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"limit":3}}'`,
      ].join(' \\\n  '),
  },
  stdio: {
    title: 'any host that only starts local commands',
    place:
      'Put this into the configuration of the host, whose own name for "mcpServers" may differ.',
    language: 'json',
    snippet: bridgeConfig,
  },
} as const satisfies Readonly<Record<string, ConnectClient>>;

export type ConnectClientName = keyof typeof CONNECT_CLIENTS;

export const CONNECT_CLIENT_NAMES = Object.keys(CONNECT_CLIENTS) as readonly ConnectClientName[];

/** What makes a client connect to the gateway, ready to be copied. */
export const connectSnippet = (name: ConnectClientName, target: ConnectTarget): string =>
  CONNECT_CLIENTS[name].snippet(target);
