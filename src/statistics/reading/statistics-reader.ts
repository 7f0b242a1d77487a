import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { StatisticsQuery, StatisticsReader } from '../statistics.ts';
import { readProviderQuota } from './read-quota.ts';
import { readSeries, readTotals } from './read-series.ts';
import { MAX_GROUPS } from './read-tallies.ts';
import { readKeyUsage, readPrefixCalls, readToolSummary } from './read-usage.ts';

const MAX_KEYS = 2000;
const MAX_TOOLS = 100;
const MAX_PREFIXES = 100;

/** Reads statistics with queries on `db`. */
export function createStatisticsReader(deps: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
}): StatisticsReader {
  const { db, clock } = deps;
  return {
    keyUsage: (tenantId, apiKeyIds) =>
      runQuery(async () => readKeyUsage(db, tenantId, checked(apiKeyIds, MAX_KEYS), clock.now())),
    toolSummary: (tenantId, toolIds) =>
      runQuery(async () => readToolSummary(db, tenantId, checked(toolIds, MAX_TOOLS), clock.now())),
    prefixCalls: (tenantId, prefixes) =>
      runQuery(async () =>
        readPrefixCalls(db, tenantId, checked(prefixes, MAX_PREFIXES), clock.now()),
      ),
    series: (query) => runQuery(async () => readSeries(db, checkedQuery(query), clock.now())),
    totals: (query) => runQuery(async () => readTotals(db, checkedQuery(query), clock.now())),
    providerQuota: (tools) => runQuery(() => readProviderQuota(db, tools, clock.now())),
  };
}

function checked(ids: readonly string[], max: number): readonly string[] {
  if (ids.length <= max) return ids;
  throw new GatewayError('invalid_arguments', `At most ${max} ids can be asked for at once.`);
}

function checkedQuery(query: StatisticsQuery): StatisticsQuery {
  if (query.by === 'tenant' && query.tenantId !== null) {
    throw new GatewayError('invalid_arguments', 'Calls of one tenant cannot be grouped by tenant.');
  }
  checked(query.subjects ?? [], MAX_GROUPS);
  return { ...query, top: Math.min(query.top, MAX_GROUPS) };
}
