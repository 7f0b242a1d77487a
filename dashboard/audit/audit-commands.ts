import type { AuditFilterInput } from './audit-search.ts';

/** A word of a command line for a POSIX shell. */
export const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The options of the command line, by the members of the address. */
const OPTIONS: Readonly<Record<keyof AuditFilterInput, string>> = {
  tool: '--tool',
  status: '--status',
  error: '--error',
  upstream: '--upstream',
  upstreamStatus: '--upstream-status',
  key: '--key',
  client: '--client',
  cacheStatus: '--cache-status',
  requestId: '--request',
  from: '--from',
  to: '--to',
};

const given = (filter: AuditFilterInput): [keyof AuditFilterInput, string][] =>
  (Object.keys(OPTIONS) as (keyof AuditFilterInput)[]).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [[name, value] as [keyof AuditFilterInput, string]];
  });

/** The same query on the machine of the gateway. */
export const commandLine = (tenant: string, filter: AuditFilterInput): string =>
  [
    'tool-gateway audit list',
    `--tenant ${quote(tenant)}`,
    ...given(filter).map(([name, value]) => `${OPTIONS[name]} ${quote(value)}`),
  ].join(' ');

/** The same query with an API key of the tenant. */
export const restRequest = (origin: string, filter: AuditFilterInput): string =>
  [
    `curl -sG ${quote(`${origin}/api/v1/audit`)}`,
    '-H "x-api-key: $TOOL_GATEWAY_API_KEY"',
    ...given(filter).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
  ].join(' \\\n  ');

/** The recorded call, as a request with an API key. */
export const callRequest = (
  origin: string,
  { tool, arguments: args }: { readonly tool: string; readonly arguments: unknown },
): string =>
  [
    `curl -s ${quote(`${origin}/mcp`)}`,
    '-H "x-api-key: $TOOL_GATEWAY_API_KEY"',
    "-H 'content-type: application/json'",
    `-d ${quote(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: args },
      }),
    )}`,
  ].join(' \\\n  ');
