import type { Command } from 'commander';
import { readSecretText } from '../../platform/config/secret-text.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { publishedAddress } from '../../platform/database/data-dir.ts';
import { localHost } from '../../platform/kernel/addresses.ts';
import { StartupError } from '../../platform/kernel/error.ts';

/** Options that select a gateway. */
export interface GatewayOptions {
  readonly url?: string;
  readonly key?: string;
}

export function addGatewayOptions(command: Command): Command {
  return command
    .option(
      '--url <address>',
      'address of the gateway (default: TOOL_GATEWAY_URL, BASE_URL, or the gateway that runs with DATA_DIR)',
    )
    .option('--key <key>', 'API key (default: TOOL_GATEWAY_API_KEY)');
}

export function addNarrowingOptions(command: Command): Command {
  return command
    .option(
      '--tools <names>',
      'only these tools: comma-separated names or patterns such as kma_*; repeatable',
      (names: string, before?: string) => (before ? `${before},${names}` : names),
    )
    .option('--category <name>', 'only tools of this category');
}

/** The address that a command or its environment names, as it was given. */
export const givenUrl = (options: GatewayOptions): string | undefined =>
  options.url ?? (process.env['TOOL_GATEWAY_URL'] || undefined);

/** The address of the gateway, without a trailing slash. Throws StartupError if it is not valid. */
export function gatewayUrl(options: GatewayOptions): string {
  const { BASE_URL, DATA_DIR, HOST, PORT } = readSettings(process.env);
  const url =
    givenUrl(options) ??
    BASE_URL ??
    publishedAddress(DATA_DIR) ??
    `http://${localHost(HOST)}:${PORT}`;
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new StartupError(
      `"${url}" is not a gateway address. Use one such as http://127.0.0.1:8080.`,
    );
  }
  const { username, password, search, hash } = new URL(url);
  if (username || password || search || hash) {
    throw new StartupError(
      'The address of the gateway must have no password and no query. Give the key with --key, and narrow the list with --tools and --category.',
    );
  }
  // Other programs ask for the address of the MCP endpoint, so it is accepted here too.
  return url.replace(/\/+$/, '').replace(/\/mcp$/, '');
}

/** The API key, or undefined if none is set. */
export function gatewayKey(options: GatewayOptions): string | undefined {
  const key = (options.key ?? readSecretText(process.env, 'TOOL_GATEWAY_API_KEY'))?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new StartupError('The API key has an invalid character. Copy the key again.');
  }
  return key || undefined;
}

export function requireGatewayKey(options: GatewayOptions): string {
  const key = gatewayKey(options);
  if (!key) throw new StartupError('Give an API key with --key or TOOL_GATEWAY_API_KEY.');
  return key;
}
