import type { Kysely } from 'kysely';
import type { StatisticsTable, Tables } from '../../platform/database/tables.ts';
import type { ProviderQuota, ToolsOfSecrets } from '../statistics.ts';
import { ALL_TENANTS, USE_SEPARATOR } from '../tally/count-records.ts';
import { STEP_MS, startOf } from '../tally/steps.ts';
import { MAX_GROUPS } from './read-tallies.ts';

export async function readProviderQuota(
  db: Kysely<Tables>,
  tools: ToolsOfSecrets,
  nowMs: number,
): Promise<readonly ProviderQuota[]> {
  const todayMs = startOf('day', nowMs);
  const byTool = await readRequests(db, 'tool', todayMs);
  const uses = (await readRequests(db, 'use', todayMs)).map(({ subject, requests }) => {
    const [toolId = '', tenantId = '', apiKeyId = ''] = subject.split(USE_SEPARATOR);
    return { toolId, tenantId, apiKeyId, requests };
  });
  return Object.entries(tools).map(([secret, toolIds]) => {
    const needed = new Set(toolIds);
    const counted = byTool.filter(({ subject }) => needed.has(subject));
    return {
      secret,
      requestsToday: sum(counted),
      resetsAtMs: todayMs + STEP_MS.day,
      tools: counted
        .slice(0, MAX_GROUPS)
        .map(({ subject, requests }) => ({ toolId: subject, requests })),
      users: usersOf(uses.filter(({ toolId }) => needed.has(toolId))),
    };
  });
}

/** Today's requests by tool or use, the most first: at most as many as a day has rows of one kind. */
function readRequests(db: Kysely<Tables>, kind: StatisticsTable['kind'], todayMs: number) {
  return db
    .selectFrom('statistics')
    .select(['subject', 'requests'])
    .where('step', '=', 'day')
    .where('scope', '=', ALL_TENANTS)
    .where('kind', '=', kind)
    .where('bucket_ms', '=', todayMs)
    .where('requests', '>', 0)
    .orderBy('requests', 'desc')
    .orderBy('subject')
    .execute();
}

interface Use {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly requests: number;
}

/** The requests of each key, over all tools. */
function usersOf(uses: readonly Use[]): Use[] {
  return [...Map.groupBy(uses, ({ tenantId, apiKeyId }) => `${tenantId} ${apiKeyId}`).values()]
    .flatMap((ofKey) => {
      const [first] = ofKey;
      if (!first) return [];
      const { tenantId, apiKeyId } = first;
      return [{ tenantId, apiKeyId, requests: sum(ofKey) }];
    })
    .sort((a, b) => b.requests - a.requests)
    .slice(0, MAX_GROUPS);
}

const sum = (rows: readonly { readonly requests: number }[]): number =>
  rows.reduce((total, { requests }) => total + requests, 0);
