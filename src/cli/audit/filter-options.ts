import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type AuditFilter,
  CACHE_STATUSES,
  MAX_CLIENT_FILTER,
  MAX_TEXT_FILTER,
  OUTCOMES,
  UPSTREAM_CLASSES,
} from '../../audit/reading/audit-filter.ts';
import type { Database } from '../../platform/database/database.ts';
import { parseTime } from '../shared/parse-time.ts';
import { requireTenant } from '../shared/require-tenant.ts';

/** What the command line calls the members of a filter. */
export interface FilterOptions {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: NonNullable<AuditFilter['outcome']>;
  readonly error?: string;
  readonly upstream?: string;
  readonly upstreamStatus?: (typeof UPSTREAM_CLASSES)[number];
  readonly key?: string;
  readonly client?: string;
  readonly cacheStatus?: NonNullable<AuditFilter['cacheStatus']>;
  readonly request?: string;
  readonly from?: number;
  readonly to?: number;
}

/** Adds the options that narrow which records a command reads. */
export function addFilterOptions(command: Command): Command {
  const text = atMost(MAX_TEXT_FILTER);
  return command
    .option('--tenant <slug>', 'only records of this tenant')
    .option('--tool <name>', 'only calls of this tool', text)
    .addOption(new Option('--status <outcome>', 'only calls with this outcome').choices(OUTCOMES))
    .option('--error <code>', 'only calls that failed with this error code', text)
    .option('--upstream <host>', 'only calls to the upstream with this host', text)
    .addOption(
      new Option(
        '--upstream-status <class>',
        'only calls to which the upstream responded so',
      ).choices(UPSTREAM_CLASSES),
    )
    .option('--key <id>', 'only calls with this API key, or of this person', text)
    .option('--client <text>', 'only clients whose name contains this', atMost(MAX_CLIENT_FILTER))
    .addOption(
      new Option('--cache-status <status>', 'only calls with this cache status').choices(
        CACHE_STATUSES,
      ),
    )
    .option('--request <id>', 'only the call with this request id', text)
    .option('--from <time>', 'only records at or after this time, ISO 8601', parseTime)
    .option('--to <time>', 'only records before this time, ISO 8601', parseTime);
}

const atMost =
  (maxCharacters: number) =>
  (text: string): string => {
    if (text.length <= maxCharacters) return text;
    throw new InvalidArgumentError(`Give at most ${maxCharacters} characters.`);
  };

/** The filter of the options. Throws StartupError for an unknown tenant. */
export async function filterOf(
  options: FilterOptions,
  { db }: Pick<Database, 'db'>,
): Promise<AuditFilter> {
  const { tenant, tool, status, error, upstream, upstreamStatus, key, client, cacheStatus } =
    options;
  return {
    tenantId: tenant === undefined ? null : (await requireTenant(db, tenant)).id,
    tool,
    outcome: status,
    error,
    upstreamHost: upstream,
    upstreamClass: upstreamStatus && Number(upstreamStatus[0]),
    apiKeyId: key,
    client,
    cacheStatus,
    requestId: options.request,
    fromMs: options.from,
    toMs: options.to,
  };
}
