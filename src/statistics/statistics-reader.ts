import { type Kysely, sql } from 'kysely';
import { runQuery } from '../platform/database/database-error.ts';
import type { Tables } from '../platform/database/tables.ts';
import type { Clock } from '../platform/kernel/time.ts';
import { readRefusals } from './read-refusals.ts';
import {
  assertAtMost,
  type From,
  figuresOf,
  readSeries,
  readTotals,
  selectSpan,
  selectStep,
} from './read-series.ts';
import { ALL_TENANTS } from './statistics-rows.ts';
import { chooseSpan, STEP_MS, type Step, startOf } from './steps.ts';
import { sumOf } from './tally.ts';

const MAX_KEYS = 2000;
const MAX_TOOLS = 100;
const MAX_PREFIXES = 100;

/** What the questions are about, and their answers. Today begins at midnight in Seoul. */
export type StatisticsReader = ReturnType<typeof createStatisticsReader>;

/** Reads statistics with queries on `db`. */
export function createStatisticsReader(deps: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
}) {
  const { db, clock } = deps;
  const by =
    <Input extends unknown[], Answer>(read: (from: From, ...input: Input) => Promise<Answer>) =>
    (...input: Input): Promise<Answer> =>
      runQuery(() => read({ db, nowMs: clock.now() }, ...input));
  return {
    keyUsage: by(readKeyUsage),
    toolSummary: by(readToolSummary),
    prefixCalls: by(readPrefixCalls),
    lastGood: by(readLastGood),
    people: by(readPeople),
    series: by(readSeries),
    totals: by(readTotals),
    refusals: by(readRefusals),
    tenantUsage: by(readTenantUsage),
    failingTenants: by(readFailingTenants),
  };
}

const FAILURES = sql<number>`caller_failures + key_failures + upstream_failures + gateway_failures`;

/** In the order of the ids. The last use is null if the key has not been used for as long as statistics are kept. */
async function readKeyUsage(from: From, tenantId: string, apiKeyIds: readonly string[]) {
  assertAtMost(MAX_KEYS, apiKeyIds);
  if (apiKeyIds.length === 0) return [];
  const todayMs = startOf('day', from.nowMs);
  const rows = await selectStep(from.db, { tenantId, kind: 'key' }, 'day')
    .select(({ fn }) => [
      'subject',
      fn.max('last_ms').as('last_ms'),
      fn.sum<number>('calls').filterWhere('bucket_ms', '=', todayMs).as('calls'),
      fn.sum<number>(FAILURES).filterWhere('bucket_ms', '=', todayMs).as('failures'),
    ])
    .where('subject', 'in', apiKeyIds)
    .groupBy('subject')
    .execute();
  const byKey = new Map(rows.map((row) => [row.subject, row]));
  const refused = await readRefusedToday(from, tenantId);
  return apiKeyIds.map((apiKeyId) => ({
    apiKeyId,
    lastUsedAtMs: byKey.get(apiKeyId)?.last_ms ?? null,
    callsToday: Number(byKey.get(apiKeyId)?.calls ?? 0),
    failuresToday: Number(byKey.get(apiKeyId)?.failures ?? 0),
    refusedToday: refused.get(apiKeyId) ?? 0,
  }));
}

/** The requests of today that were refused, by key; over all tenants, by tenant. At most as many as have figures of their own. */
async function readRefusedToday(
  { db, nowMs }: From,
  scope: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('refusals')
    .select(['subject', ({ fn }) => fn.sum<number>('count').as('count')])
    .where('step', '=', 'day')
    .where('scope', '=', scope)
    .where('bucket_ms', '=', startOf('day', nowMs))
    .groupBy('subject')
    .execute();
  return new Map(rows.map(({ subject, count }) => [subject, Number(count)]));
}

/** The tenants that sent requests today. */
async function readTenantUsage(from: From) {
  const rows = await selectStep(from.db, { tenantId: null, kind: 'tenant' }, 'day')
    .select(['subject', 'calls', FAILURES.as('failures')])
    .where('bucket_ms', '=', startOf('day', from.nowMs))
    .execute();
  const refused = await readRefusedToday(from, ALL_TENANTS);
  const used = new Map(rows.map((row) => [row.subject, row]));
  return [...new Set([...used.keys(), ...refused.keys()])].map((tenantId) => ({
    tenantId,
    callsToday: Number(used.get(tenantId)?.calls ?? 0),
    failuresToday: Number(used.get(tenantId)?.failures ?? 0),
    refusedToday: refused.get(tenantId) ?? 0,
  }));
}

/** The tenants whose calls failed within the last 24 hours for what no caller can repair, the most failures first. */
async function readFailingTenants(from: From, limit: number): Promise<string[]> {
  const failures = sql<number>`key_failures + upstream_failures`;
  const rows = await selectLastDay(from, null, 'tenant')
    .select(['subject', ({ fn }) => fn.sum<number>(failures).as('failures')])
    .where(failures, '>', 0)
    .groupBy('subject')
    .orderBy('failures', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ subject }) => subject);
}

/** The rows of the last 24 hours. */
const selectLastDay = (
  { db, nowMs }: From,
  tenantId: string | null,
  kind: 'tool' | 'tenant' = 'tool',
) =>
  selectSpan(
    db,
    { tenantId, kind },
    chooseSpan({ fromMs: nowMs - STEP_MS.day, toMs: nowMs }, nowMs),
  );

/** In the order of the ids. */
async function readToolSummary(from: From, tenantId: string | null, toolIds: readonly string[]) {
  assertAtMost(MAX_TOOLS, toolIds);
  if (toolIds.length === 0) return [];
  const hours = await selectLastDay(from, tenantId)
    .selectAll()
    .where('subject', 'in', toolIds)
    .execute();
  const today = await selectStep(from.db, { tenantId, kind: 'tool' }, 'day')
    .select(['subject', 'calls'])
    .where('bucket_ms', '=', startOf('day', from.nowMs))
    .where('subject', 'in', toolIds)
    .execute();
  const byTool = Map.groupBy(hours, ({ subject }) => subject);
  const callsToday = new Map(today.map(({ subject, calls }) => [subject, calls]));
  return toolIds.map((toolId) => ({
    toolId,
    callsToday: callsToday.get(toolId) ?? 0,
    lastDay: figuresOf(sumOf(...(byTool.get(toolId) ?? []))),
  }));
}

/** The calls of the tools whose ids begin alike. Reads the tools of a tenant, at most 500 in each hour, because the order of texts differs between databases. */
async function readPrefixCalls(from: From, tenantId: string, prefixes: readonly string[]) {
  assertAtMost(MAX_PREFIXES, prefixes);
  const rows = await selectLastDay(from, tenantId)
    .select(({ fn }) => [
      'subject',
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>(FAILURES).as('failures'),
    ])
    .groupBy('subject')
    .execute();
  return prefixes.map((prefix) => {
    const own = rows.filter(({ subject }) => subject.startsWith(prefix));
    return { prefix, calls: totalOf(own, 'calls'), failures: totalOf(own, 'failures') };
  });
}

/** People whose names are asked for. */
const MAX_PEOPLE = 500;

/** The ids of people who called tools of a tenant, those who called last first. */
async function readPeople({ db }: From, tenantId: string): Promise<string[]> {
  const rows = await selectStep(db, { tenantId, kind: 'key' }, 'day')
    .select(['subject', ({ fn }) => fn.max('last_ms').as('last_ms')])
    .where('subject', 'like', 'person_%')
    .groupBy('subject')
    .orderBy('last_ms', 'desc')
    .limit(MAX_PEOPLE)
    .execute();
  return rows.map(({ subject }) => subject);
}

/** The last minute of the last 24 hours in which a call of each tool was successful, by tool. */
async function readLastGood(
  { db, nowMs }: From,
  tenantId: string,
  toolIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  assertAtMost(MAX_TOOLS, toolIds);
  if (toolIds.length === 0) return new Map();
  // With each time, the index leads to the rows of these tools.
  const last = (step: Step, timesMs: readonly number[], subjects: readonly string[]) =>
    selectStep(db, { tenantId, kind: 'tool' }, step)
      .select(['subject', ({ fn }) => fn.max('bucket_ms').as('ms')])
      .where('bucket_ms', 'in', timesMs)
      .where('subject', 'in', subjects)
      .where(sql<boolean>`calls > ${FAILURES}`)
      .groupBy('subject')
      .execute();
  const hourMs = startOf('hour', nowMs);
  const hours = await last('hour', timesFrom(hourMs - STEP_MS.day, 'hour', 25), toolIds);
  const good = new Map<string, number>();
  for (const [ms, tools] of Map.groupBy(hours, (row) => Number(row.ms))) {
    const subjects = tools.map(({ subject }) => subject);
    // A minute with very many tools may have counted this one among the others.
    for (const subject of subjects) good.set(subject, ms + STEP_MS.hour - STEP_MS.minute);
    const minutes = await last('minute', timesFrom(ms, 'minute', 60), subjects);
    for (const row of minutes) good.set(row.subject, Number(row.ms));
  }
  return good;
}

const timesFrom = (fromMs: number, step: Step, count: number): number[] =>
  Array.from({ length: count }, (_, at) => fromMs + at * STEP_MS[step]);

/** PostgreSQL returns sums as text. */
const totalOf = <Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  name: Name,
) => rows.reduce((total, row) => total + Number(row[name]), 0);
