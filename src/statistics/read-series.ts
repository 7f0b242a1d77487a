import { type Kysely, sql } from 'kysely';
import type { StatisticsTable, Tables } from '../platform/database/tables.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { OTHER } from './cells.ts';
import { quantiles } from './latencies.ts';
import { ALL_TENANTS } from './statistics-rows.ts';
import { chooseSpan, coarseSpans, type Span, STEP_MS, startOf, timesOf } from './steps.ts';
import { addTally, sumOf, type Tally } from './tally.ts';

/** What calls are grouped by; `tenant` only over all tenants. */
export type GroupedBy = 'none' | 'tool' | 'key' | 'tenant' | 'upstream';

export interface StatisticsQuery {
  /** Null = all tenants. */
  readonly tenantId: string | null;
  /** Extended to where its minute, hour or day begins. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly by: GroupedBy;
  /** How many groups, at most 20: those with the most calls. */
  readonly top: number;
  /** These groups instead, at most 20. */
  readonly subjects?: readonly string[] | undefined;
  /** Only the calls with this key by tool, or of this tool by key; of one tenant, in whole hours. */
  readonly of?: PairPart | undefined;
}

/** One part of the subject of `key_tool`. */
export interface PairPart {
  readonly kind: 'key' | 'tool';
  readonly id: string;
}

export const MAX_GROUPS = 20;

export interface From {
  readonly db: Kysely<Tables>;
  readonly nowMs: number;
}

export function assertAtMost(max: number, ids: readonly string[]): void {
  if (ids.length <= max) return;
  throw new GatewayError('invalid_arguments', `At most ${max} ids can be asked for at once.`);
}

/**
 * The calls at each point in time: of all first, then of the groups by the number of their calls, then of no group if
 * there are any. Rejects with GatewayError `invalid_arguments` for a range of more than 1,000 days.
 */
export async function readSeries(from: From, query: StatisticsQuery) {
  const { span, all, groups } = await readCalls(from, query);
  const timesMs = timesOf(span);
  const pointsIn = (calls: CallsByTime) => timesMs.map((ms) => sumOf(calls.get(ms)));
  const other = query.by === 'none' ? [] : timesMs.map((ms) => otherAt(ms, all, groups));
  const hasOther = other.some(({ calls }) => calls > 0);
  return {
    step: span.step,
    timesMs,
    groups: [
      { kind: 'all' as const, ...lineOf(null, pointsIn(all)) },
      ...[...groups].map(([subject, calls]) => ({
        kind: 'group' as const,
        ...lineOf(subject, pointsIn(calls)),
      })),
      ...(hasOther ? [{ kind: 'other' as const, ...lineOf(null, other) }] : []),
    ],
  };
}

export async function readTotals(from: From, query: StatisticsQuery) {
  const { all, groups } = await readCalls(from, query);
  return {
    all: figuresOf(sumOf(...all.values())),
    groups: [...groups].map(([subject, calls]) => ({
      subject: query.of ? otherPart(subject, query.of) : subject,
      figures: figuresOf(sumOf(...calls.values())),
    })),
  };
}

/** Calls by the time at which their minute, hour or day begins. */
type CallsByTime = ReadonlyMap<number, Readonly<Tally>>;

async function readCalls({ db, nowMs }: From, query: StatisticsQuery) {
  if (query.by === 'tenant' && query.tenantId !== null) {
    throw new GatewayError('invalid_arguments', 'Calls of one tenant cannot be grouped by tenant.');
  }
  assertAtMost(MAX_GROUPS, query.subjects ?? []);
  const span = query.of ? inHours(chooseSpan(query, nowMs)) : chooseSpan(query, nowMs);
  const { tenantId, of = { kind: 'all', id: '' } } = query;
  const rows = await selectSpan(db, { tenantId, kind: of.kind }, span)
    .selectAll()
    .where('subject', '=', of.id)
    .execute();
  const all: CallsByTime = new Map(rows.map((row) => [row.bucket_ms, row]));
  return { span, all, groups: await readGroups(db, query, span) };
}

/** The calls of each group, in the order of the groups. */
async function readGroups(
  db: Kysely<Tables>,
  { by, ...query }: StatisticsQuery,
  span: Span,
): Promise<ReadonlyMap<string, CallsByTime>> {
  if (by === 'none') return new Map();
  const { tenantId, of } = query;
  const selection = of ? { tenantId, kind: 'key_tool' as const, of } : { tenantId, kind: by };
  const subjects =
    query.subjects ?? (await findTop(db, selection, span, Math.min(query.top, MAX_GROUPS)));
  const groups = new Map(subjects.map((subject) => [subject, new Map<number, Readonly<Tally>>()]));
  if (subjects.length === 0) return groups;
  // With each time, the index leads to the rows of these subjects; with a range, it would lead to the rows of all.
  const rows = await selectStep(db, selection, span.step)
    .selectAll()
    .where('bucket_ms', 'in', timesOf(span))
    .where('subject', 'in', subjects)
    .execute();
  for (const row of rows) groups.get(row.subject)?.set(row.bucket_ms, row);
  return groups;
}

/** The subjects with the most calls. Two weeks have 336 hours, but 14 days. */
async function findTop(
  db: Kysely<Tables>,
  selection: Selection,
  span: Span,
  top: number,
): Promise<string[]> {
  const spans = coarseSpans(span).map((part) =>
    selectSpan(db, selection, part).select(['subject', 'calls']).where('subject', '<>', OTHER),
  );
  const rows = await db
    .selectFrom(spans.reduce((all, part) => all.unionAll(part)).as('spans'))
    .select(['subject', ({ fn }) => fn.sum<number>('calls').as('calls')])
    .groupBy('subject')
    .orderBy('calls', 'desc')
    .orderBy('subject')
    .limit(top)
    .execute();
  return rows.map(({ subject }) => subject);
}

interface Selection {
  /** Null = all tenants. */
  readonly tenantId: string | null;
  readonly kind: StatisticsTable['kind'];
  readonly of?: PairPart;
}

/** The rows of a scope and kind. */
export const selectStep = (
  db: Kysely<Tables>,
  { tenantId, kind, of }: Selection,
  step: Span['step'],
) =>
  db
    .selectFrom('statistics')
    .where('step', '=', step)
    .where('scope', '=', tenantId ?? ALL_TENANTS)
    .where('kind', '=', kind)
    .$if(of !== undefined, (rows) => rows.where(hasPart(of as PairPart)));

/** Not by `like`, which has wildcards, nor by a range, because the order of texts differs between databases. */
function hasPart({ kind, id }: PairPart) {
  const part = sql`cast(${kind === 'key' ? `${id} ` : ` ${id}`} as text)`;
  const start = kind === 'key' ? sql`1` : sql`length(subject) - length(${part}) + 1`;
  return sql<boolean>`substr(subject, ${start}, length(${part})) = ${part}`;
}

const otherPart = (pair: string, { kind, id }: PairPart): string =>
  kind === 'key' ? pair.slice(id.length + 1) : pair.slice(0, -id.length - 1);

/** Pairs of a key and a tool have no minutes. */
const inHours = (span: Span): Span =>
  span.step === 'minute'
    ? {
        step: 'hour',
        fromMs: startOf('hour', span.fromMs),
        toMs: startOf('hour', span.toMs - 1) + STEP_MS.hour,
      }
    : span;

export const selectSpan = (db: Kysely<Tables>, selection: Selection, { step, ...span }: Span) =>
  selectStep(db, selection, step)
    .where('bucket_ms', '>=', span.fromMs)
    .where('bucket_ms', '<', span.toMs);

/** The calls that belong to none of the groups: all calls minus theirs. */
function otherAt(ms: number, all: CallsByTime, groups: ReadonlyMap<string, CallsByTime>): Tally {
  const calls = all.get(ms);
  const other = sumOf(calls);
  for (const group of groups.values()) {
    const ofGroup = calls && group.get(ms);
    if (ofGroup) addTally(other, ofGroup, -1);
  }
  return other;
}

const SHARES = [0.5, 0.95, 0.99];

/** The figures of a set of calls. Durations are in milliseconds, null without calls. */
export function figuresOf(tally: Readonly<Tally>) {
  const [p50Ms = null, p95Ms = null, p99Ms = null] = quantiles(tally, SHARES);
  const { hits, stale, coalesced, misses } = tally;
  const fromCache = hits + stale + coalesced;
  return {
    calls: tally.calls,
    failures: {
      caller: tally.caller_failures,
      key: tally.key_failures,
      upstream: tally.upstream_failures,
      gateway: tally.gateway_failures,
    },
    /** By the cache status of their response; calls that failed have none. */
    cache: { hit: hits, stale, coalesced, miss: misses, bypass: tally.bypassed },
    /** Share of responses from the cache among those that could come from it; null if none could. */
    cacheRatio: fromCache + misses === 0 ? null : fromCache / (fromCache + misses),
    upstreamRequests: tally.requests,
    responseBytes: tally.response_bytes,
    p50Ms,
    p95Ms,
    p99Ms,
    lastCallMs: tally.calls > 0 ? tally.last_ms : null,
  };
}

/** The calls of a subject, null = of all or of no group; together and at each point in time. */
function lineOf(subject: string | null, tallies: readonly Tally[]) {
  const figures = tallies.map(figuresOf);
  const points = {
    calls: figures.map(({ calls }) => calls),
    callerFailures: figures.map(({ failures }) => failures.caller),
    keyFailures: figures.map(({ failures }) => failures.key),
    upstreamFailures: figures.map(({ failures }) => failures.upstream),
    gatewayFailures: figures.map(({ failures }) => failures.gateway),
    cacheRatio: figures.map((each) => each.cacheRatio),
    responseBytes: figures.map(({ responseBytes }) => responseBytes),
    p50Ms: figures.map(({ p50Ms }) => p50Ms),
    p95Ms: figures.map(({ p95Ms }) => p95Ms),
    p99Ms: figures.map(({ p99Ms }) => p99Ms),
  };
  return { subject, figures: figuresOf(sumOf(...tallies)), points };
}
