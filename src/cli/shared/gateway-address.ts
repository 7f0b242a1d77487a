import type { Command } from 'commander';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { localHost } from '../../platform/kernel/url-host.ts';

/** How a command is told which gateway it is for. */
export interface GatewayOptions {
  readonly url?: string;
  readonly key?: string;
}

/** How a command is told that fewer tools than the key allows will do. */
export interface NarrowingOptions {
  readonly tools?: string;
  readonly category?: string;
}

export function addGatewayOptions(command: Command): Command {
  return command
    .option('--url <address>', 'address of the gateway; BASE_URL when left out')
    .option('--key <key>', 'API key; TOOL_GATEWAY_API_KEY when left out');
}

export function addNarrowingOptions(command: Command): Command {
  return command
    .option('--tools <names>', 'only these tools: comma-separated names or patterns such as kma_*')
    .option('--category <name>', 'only tools of this category');
}

/** Where the gateway is, without a slash at the end. Throws StartupError for what is no address. */
export function gatewayUrl(options: GatewayOptions): string {
  const { BASE_URL, HOST, PORT } = readSettings(process.env);
  const url = options.url ?? BASE_URL ?? `http://${localHost(HOST)}:${PORT}`;
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new StartupError(`"${url}" is not an address such as http://127.0.0.1:8080.`);
  }
  const { username, password, search, hash } = new URL(url);
  if (username || password || search || hash) {
    throw new StartupError(
      'The address of the gateway has neither a password nor a query: the key goes into --key, and what narrows the list into --tools and --category.',
    );
  }
  // The address of the MCP endpoint is what other programs ask for, so that it is given here as well.
  return url.replace(/\/+$/, '').replace(/\/mcp$/, '');
}

/** The API key, or undefined when none is given. */
export function gatewayKey(options: GatewayOptions): string | undefined {
  const key = (options.key ?? process.env['TOOL_GATEWAY_API_KEY'])?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new StartupError('The API key has a character that no key has: copy it once more.');
  }
  return key || undefined;
}

export function requireGatewayKey(options: GatewayOptions): string {
  const key = gatewayKey(options);
  if (!key) throw new StartupError('Give an API key with --key or TOOL_GATEWAY_API_KEY.');
  return key;
}

/** Where MCP clients connect. Commas and stars stay readable, as a query may have them (RFC 3986 section 3.4). */
export function mcpAddress(url: string, { tools, category }: NarrowingOptions): string {
  const query = Object.entries({ category, tools })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '').replaceAll('%2C', ',')}`);
  return `${url}/mcp${query.length > 0 ? `?${query.join('&')}` : ''}`;
}
