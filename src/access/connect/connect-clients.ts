import { isLoopbackHost } from '../../platform/kernel/url-host.ts';
import { pythonString, shellWord, tomlString, typescriptString } from './connect-quote.ts';

/** Selects some of the tools that the key may use. */
export interface NarrowingOptions {
  readonly tools?: string;
  readonly category?: string;
}

/** The address for MCP clients. Commas and asterisks stay readable: a query may have them (RFC 3986 section 3.4). */
export function mcpAddress(url: string, { tools, category }: NarrowingOptions): string {
  const query = Object.entries({ category, tools })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '').replaceAll('%2C', ',')}`);
  return `${url}/mcp${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** The gateway that a client connects to. */
export interface ConnectTarget extends NarrowingOptions {
  /** Address of the gateway. */
  readonly url: string;
  readonly key: string;
  /** How the client's machine starts a command of Tool Gateway: a program and its first arguments. */
  readonly command: readonly [string, ...string[]];
}

/** A program or library that speaks MCP. */
export interface ConnectClient {
  readonly title: string;
  /** What to do with the snippet. */
  readonly instructions: string;
  /** The language of the snippet, as code blocks name it. */
  readonly language: 'json' | 'sh' | 'text' | 'toml' | 'ts' | 'python';
  readonly snippet: (target: ConnectTarget) => string;
  /** How it is connected without a key, by a person who signs in; undefined if it cannot. */
  readonly signIn?: (target: ConnectTarget) => string;
}

/** The name of the gateway in a client. Clients prefix tool names with it, so it counts towards their length. */
const NAME = 'tool-gateway';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const address = (target: ConnectTarget): string => mcpAddress(target.url, target);

const headers = ({ key }: ConnectTarget): Record<string, string> => ({ 'x-api-key': key });

/** How a host starts the bridge. The environment keeps the key out of process lists. */
function bridge({ url, key, tools, category, command }: ConnectTarget): object {
  const [program, ...args] = command;
  return {
    command: program,
    args: [
      ...args,
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

/** What Claude asks for in Customize > Connectors > Add custom connector. */
const connectorOf = (target: ConnectTarget): string =>
  [`Name: ${NAME}`, `Remote MCP server URL: ${address(target)}`].join('\n');

/** Every client that `connect` supports, in the configuration formats of November 2026. */
export const CONNECT_CLIENTS = {
  'claude-code': {
    title: 'Claude Code',
    instructions:
      'Run this in a project. To enable the tools in all projects, add --scope user before the name.',
    language: 'sh',
    snippet: (target) =>
      `claude mcp add --transport http ${NAME} ${shellWord(address(target))} --header ${shellWord(`x-api-key: ${target.key}`)}`,
    signIn: (target) =>
      `claude mcp add --transport http ${NAME} ${shellWord(address(target))}\nclaude mcp login ${NAME}`,
  },
  codex: {
    title: 'Codex (OpenAI)',
    instructions:
      'Add this to ~/.codex/config.toml, or to .codex/config.toml in a trusted project.',
    language: 'toml',
    snippet: (target) =>
      [
        `[mcp_servers.${NAME}]`,
        `url = ${tomlString(address(target))}`,
        `http_headers = { x-api-key = ${tomlString(target.key)} }`,
      ].join('\n'),
    signIn: (target) =>
      `codex mcp add ${NAME} --url ${shellWord(address(target))}\ncodex mcp login ${NAME}`,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    instructions:
      'Add this to claude_desktop_config.json (Settings > Developer > Edit Config) and restart Claude Desktop.',
    language: 'json',
    snippet: bridgeConfig,
    signIn: connectorOf,
  },
  'claude-ai': {
    title: 'claude.ai',
    instructions:
      'Enter these in Customize > Connectors > Add custom connector. The address must use https and be reachable from the internet.',
    language: 'text',
    snippet: (target) =>
      [
        `Name: ${NAME}`,
        `Remote MCP server URL: ${address(target)}`,
        `Request header: x-api-key: ${target.key}`,
      ].join('\n'),
    signIn: connectorOf,
  },
  chatgpt: {
    title: 'ChatGPT',
    instructions:
      'Enter these in Settings > Apps > Create, with developer mode on. The address must use https and be reachable from the internet. A person signs in; there is no field for a key.',
    language: 'text',
    snippet: (target) =>
      [`Name: ${NAME}`, `MCP server URL: ${address(target)}`, 'Authentication: OAuth'].join('\n'),
  },
  'copilot-studio': {
    title: 'Microsoft Copilot Studio',
    instructions:
      'Enter these in Tools > Add a tool > New tool > Model Context Protocol. A person signs in.',
    language: 'text',
    snippet: (target) =>
      [
        `Server name: ${NAME}`,
        `Server URL: ${address(target)}`,
        'Authentication: OAuth 2.0, dynamic discovery',
      ].join('\n'),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    instructions: 'Run this in a terminal. To enable the tools in all projects, add --scope user.',
    language: 'sh',
    snippet: (target) =>
      `gemini mcp add --transport http ${NAME} ${shellWord(address(target))} --header ${shellWord(`x-api-key: ${target.key}`)}`,
    signIn: (target) =>
      `gemini mcp add --transport http ${NAME} ${shellWord(address(target))}\n# then, in Gemini CLI: /mcp auth ${NAME}`,
  },
  cursor: {
    title: 'Cursor',
    instructions: 'Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json in a project.',
    language: 'json',
    snippet: (target) =>
      json({ mcpServers: { [NAME]: { url: address(target), headers: headers(target) } } }),
    signIn: (target) => json({ mcpServers: { [NAME]: { url: address(target) } } }),
  },
  vscode: {
    title: 'VS Code',
    instructions:
      'Add this to .vscode/mcp.json in a workspace, or to your user configuration ("MCP: Open User Configuration").',
    language: 'json',
    snippet: (target) =>
      json({
        servers: { [NAME]: { type: 'http', url: address(target), headers: headers(target) } },
      }),
    signIn: (target) => json({ servers: { [NAME]: { type: 'http', url: address(target) } } }),
  },
  windsurf: {
    title: 'Windsurf (Devin Desktop), Cascade',
    instructions:
      'Add this to ~/.codeium/windsurf/mcp_config.json and refresh the list of MCP servers.',
    language: 'json',
    snippet: (target) =>
      json({ mcpServers: { [NAME]: { serverUrl: address(target), headers: headers(target) } } }),
    signIn: (target) => json({ mcpServers: { [NAME]: { serverUrl: address(target) } } }),
  },
  inspector: {
    title: 'MCP Inspector',
    instructions: 'Run this in a terminal with Node.js 22.19 or newer. It lists the tools.',
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
    instructions: 'Run "npm install @modelcontextprotocol/client" and add this to a module.',
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
    instructions: 'Run "pip install mcp" and add this to a program.',
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
    instructions: `Run "pip install 'langchain[mcp]'" and add this to a program.`,
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
    instructions: 'Run "pip install openai-agents" and add this to a program.',
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
    instructions: 'Run "npm install @ai-sdk/mcp" and add this to a module.',
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
    instructions: 'Run this in a terminal. It lists three tools.',
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
    instructions:
      'Add this to the configuration of the host. Some hosts use another name for "mcpServers".',
    language: 'json',
    snippet: bridgeConfig,
  },
} as const satisfies Readonly<Record<string, ConnectClient>>;

export type ConnectClientName = keyof typeof CONNECT_CLIENTS;

export const CONNECT_CLIENT_NAMES = Object.keys(CONNECT_CLIENTS) as readonly ConnectClientName[];

/** How a client is connected without a key; undefined if it cannot, or if people cannot sign in at this address. */
export function signInSnippet(name: ConnectClientName, target: ConnectTarget): string | undefined {
  const { signIn }: ConnectClient = CONNECT_CLIENTS[name];
  const { protocol, host } = new URL(target.url);
  return protocol === 'https:' || isLoopbackHost(host) ? signIn?.(target) : undefined;
}

/** The configuration or code that connects a client to the gateway, ready to copy. */
export const connectSnippet = (name: ConnectClientName, target: ConnectTarget): string =>
  CONNECT_CLIENTS[name].snippet(target);
