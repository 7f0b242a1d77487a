import { shellWord } from '../shared/curl.ts';
import type { AuditFilterInput } from './audit-search.ts';

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
    `--tenant ${shellWord(tenant)}`,
    ...given(filter).map(([name, value]) => `${OPTIONS[name]} ${shellWord(value)}`),
  ].join(' ');

/** The same query with an API key of the tenant. */
export const restRequest = (origin: string, filter: AuditFilterInput): string =>
  [
    `curl -sG ${shellWord(`${origin}/api/v1/audit`)}`,
    '-H "x-api-key: $TOOL_GATEWAY_API_KEY"',
    ...given(filter).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
  ].join(' \\\n  ');
