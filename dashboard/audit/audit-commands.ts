import { shellWord } from '../shared/curl.ts';
import { type AuditFilterInput, FILTERS } from './audit-search.ts';

const given = (filter: AuditFilterInput): [string, string][] =>
  ([...FILTERS, 'from', 'to'] as const).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [[name, value] as [string, string]];
  });

/** The option of the command line for a member of the address. */
const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The same query on the machine of the gateway. */
export const commandLine = (tenant: string, filter: AuditFilterInput): string =>
  [
    'tool-gateway audit list',
    `--tenant ${shellWord(tenant)}`,
    ...given(filter).map(([name, value]) => `${optionOf(name)} ${shellWord(value)}`),
  ].join(' ');

/** The same query with an API key of the tenant. */
export const restRequest = (origin: string, filter: AuditFilterInput): string =>
  [
    `curl -sG ${shellWord(`${origin}/api/v1/audit`)}`,
    '-H "x-api-key: $TOOL_GATEWAY_API_KEY"',
    ...given(filter).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
  ].join(' \\\n  ');
