import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isLoopbackHost } from '../../platform/kernel/addresses.ts';
import { PACKAGE_ROOT } from '../../platform/kernel/shipped-files.ts';
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

/** A program or library that speaks MCP, as its file in `connect/` describes it. */
export interface ConnectClient {
  readonly title: string;
  /** What to do with the snippet. */
  readonly instructions: string;
  readonly instructionsKo: string;
  /** The language of the snippet, as code blocks name it. */
  readonly language: 'json' | 'sh' | 'text' | 'toml' | 'ts' | 'python';
  readonly snippet: string;
  /** How it is connected without a key, by a person who signs in; undefined if it cannot. */
  readonly signIn?: string;
  /** What to do with `signIn`; by default, the same as with the snippet. */
  readonly signInInstructions?: string;
  readonly signInInstructionsKo?: string;
}

const DIRECTORY = join(PACKAGE_ROOT, 'connect');

/** Every client that `connect` supports, in the configuration formats of November 2026. */
export const CONNECT_CLIENT_NAMES: readonly string[] = readdirSync(DIRECTORY)
  .map((file) => file.replace(/\.yaml$/, ''))
  .sort();

const known = new Map<string, ConnectClient>();

/** One of `CONNECT_CLIENT_NAMES`. */
export function connectClient(name: string): ConnectClient {
  const client = known.get(name) ?? parse(readFileSync(join(DIRECTORY, `${name}.yaml`), 'utf8'));
  known.set(name, client);
  return client;
}

const QUOTES: Readonly<Record<string, (text: string) => string>> = {
  json: JSON.stringify,
  py: pythonString,
  sh: shellWord,
  text: (text) => text,
  toml: tomlString,
  ts: typescriptString,
};

/** `{{sh address}}` is the address as a word of a shell, and so on. */
function fill(template: string, target: ConnectTarget): string {
  const { key } = target;
  const values = { address: mcpAddress(target.url, target), key, header: `x-api-key: ${key}` };
  return template
    .replaceAll('{{bridge}}', () => bridge(target))
    .replaceAll(
      /\{\{(\w+) (address|key|header)\}\}/g,
      (place, quote: string, name: keyof typeof values) => QUOTES[quote]?.(values[name]) ?? place,
    );
}

/** How a host starts the bridge, as JSON within two objects. The environment keeps the key out of process lists. */
function bridge({ url, key, tools, category, command }: ConnectTarget): string {
  const [program, ...first] = command;
  const narrowing = [
    ...(category ? ['--category', category] : []),
    ...(tools ? ['--tools', tools] : []),
  ];
  const args = [...first, 'stdio', '--url', url, ...narrowing];
  const server = { command: program, args, env: { TOOL_GATEWAY_API_KEY: key } };
  return JSON.stringify(server, null, 2).replaceAll('\n', '\n    ');
}

/** How a client is connected without a key; undefined if it cannot, or if people cannot sign in at this address. */
export function signInSnippet(name: string, target: ConnectTarget): string | undefined {
  const { signIn } = connectClient(name);
  const { protocol, host } = new URL(target.url);
  const canSignIn = protocol === 'https:' || isLoopbackHost(host);
  return signIn !== undefined && canSignIn ? fill(signIn, target) : undefined;
}

/** The configuration or code that connects a client to the gateway, ready to copy. */
export const connectSnippet = (name: string, target: ConnectTarget): string =>
  fill(connectClient(name).snippet, target);
