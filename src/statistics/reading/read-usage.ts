import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { KeyUsage, PrefixCalls, ToolSummary } from '../statistics.ts';
import { ALL_TENANTS } from '../tally/count-records.ts';
import { STEP_MS, startOf } from '../tally/steps.ts';
import { chooseBuckets } from './choose-step.ts';
import { figuresOf } from './figures.ts';
import { selectRows } from './read-tallies.ts';
import { sumOf } from './sum.ts';

/** The row of a key and a day. */
const ofKeys = (db: Kysely<Tables>, tenantId: string, apiKeyIds: readonly string[]) =>
  db
    .selectFrom('statistics')
    .where('step', '=', 'day')
    .where('scope', '=', tenantId)
    .where('kind', '=', 'key')
    .where('subject', 'in', apiKeyIds);

export async function readKeyUsage(
  db: Kysely<Tables>,
  tenantId: string,
  apiKeyIds: readonly string[],
  nowMs: number,
): Promise<readonly KeyUsage[]> {
  if (apiKeyIds.length === 0) return [];
  const used = await ofKeys(db, tenantId, apiKeyIds)
    .select(['subject', ({ fn }) => fn.max('last_ms').as('last_ms')])
    .groupBy('subject')
    .execute();
  const today = await ofKeys(db, tenantId, apiKeyIds)
    .selectAll()
    .where('bucket_ms', '=', startOf('day', nowMs))
    .execute();
  const lastUsed = new Map(used.map(({ subject, last_ms }) => [subject, last_ms]));
  const byKey = new Map(today.map((row) => [row.subject, row]));
  return apiKeyIds.map((apiKeyId) => {
    const row = byKey.get(apiKeyId);
    return {
      apiKeyId,
      lastUsedAtMs: lastUsed.get(apiKeyId) ?? null,
      callsToday: row?.calls ?? 0,
      failuresToday: row ? row.caller_failures + row.upstream_failures + row.gateway_failures : 0,
    };
  });
}

export async function readToolSummary(
  db: Kysely<Tables>,
  tenantId: string | null,
  toolIds: readonly string[],
  nowMs: number,
): Promise<readonly ToolSummary[]> {
  if (toolIds.length === 0) return [];
  const range = { tenantId, fromMs: nowMs - STEP_MS.day, toMs: nowMs };
  const buckets = chooseBuckets(range, nowMs);
  const hours = await selectRows(db, { tenantId, kind: 'tool', buckets })
    .selectAll()
    .where('subject', 'in', toolIds)
    .execute();
  const today = await db
    .selectFrom('statistics')
    .select(['subject', 'calls'])
    .where('step', '=', 'day')
    .where('scope', '=', tenantId ?? ALL_TENANTS)
    .where('kind', '=', 'tool')
    .where('bucket_ms', '=', startOf('day', nowMs))
    .where('subject', 'in', toolIds)
    .execute();
  const byTool = Map.groupBy(hours, ({ subject }) => subject);
  const callsToday = new Map(today.map(({ subject, calls }) => [subject, calls]));
  return toolIds.map((toolId) => ({
    toolId,
    callsToday: callsToday.get(toolId) ?? 0,
    lastDay: figuresOf(sumOf(byTool.get(toolId) ?? [])),
  }));
}

/** Reads the tools of a tenant, at most 500 in each hour, because the order of texts differs between databases. */
export async function readPrefixCalls(
  db: Kysely<Tables>,
  tenantId: string,
  prefixes: readonly string[],
  nowMs: number,
): Promise<readonly PrefixCalls[]> {
  if (prefixes.length === 0) return [];
  const buckets = chooseBuckets({ tenantId, fromMs: nowMs - STEP_MS.day, toMs: nowMs }, nowMs);
  const rows = await selectRows(db, { tenantId, kind: 'tool', buckets })
    .select(({ fn }) => [
      'subject',
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>('caller_failures').as('caller'),
      fn.sum<number>('upstream_failures').as('upstream'),
      fn.sum<number>('gateway_failures').as('gateway'),
    ])
    .groupBy('subject')
    .execute();
  return prefixes.map((prefix) => {
    const sum = { prefix, calls: 0, failures: 0 };
    for (const { subject, calls, caller, upstream, gateway } of rows) {
      if (!subject.startsWith(prefix)) continue;
      sum.calls += Number(calls);
      sum.failures += Number(caller) + Number(upstream) + Number(gateway);
    }
    return sum;
  });
}
