import { type Kysely, sql } from 'kysely';
import type { RefusalsTable, StatisticsTable, Tables } from '../platform/database/tables.ts';
import { type Cell, OTHER } from './cells.ts';
import type { RefusalCell } from './refusals.ts';
import { MINUTES_KEPT_MS, STEP_MS, STEPS, type Step, startOf } from './steps.ts';
import { addTally, COUNTERS, newTally, type Tally } from './tally.ts';

/** The columns that name a row of statistics. */
export const KEY = ['step', 'scope', 'kind', 'bucket_ms', 'subject'] as const;

/** What identifies a row. */
type StatisticKey = Pick<StatisticsTable, (typeof KEY)[number]>;

/** What the number of subjects is counted by. */
type Named = Omit<StatisticKey, 'kind'> & { readonly kind: StatisticKey['kind'] | 'refused' };

/** The scope of the statistics over all tenants. */
export const ALL_TENANTS = '*';

/** How many subjects of one kind have rows in one scope and one minute, hour or day. */
export const MAX_SUBJECTS: Readonly<Record<Step, number>> = { minute: 100, hour: 500, day: 2000 };

/** Names of rows that are remembered: some 10 MB. With one more, all are forgotten, and each subject has room again. */
export const MAX_NAMES = 50_000;

/**
 * Returns what names the row for a key: `(other)` if there are too many. Only counts rows that were named here, so
 * several processes have room for more, and so has one that starts again: reading what is stored would cost more than it saves.
 */
export function createRowNames() {
  const names = new Set<string>();
  const counts = new Map<string, number>();
  return <Key extends Named>(key: Key): Key => {
    const name = nameOf(key);
    if (key.subject === OTHER || names.has(name)) return key;
    if (names.size >= MAX_NAMES) {
      names.clear();
      counts.clear();
    }
    const group = nameOf({ ...key, subject: '' });
    const count = counts.get(group) ?? 0;
    if (count >= MAX_SUBJECTS[key.step]) return { ...key, subject: OTHER };
    names.add(name);
    counts.set(group, count + 1);
    return key;
  };
}

const nameOf = (key: Named): string => KEY.map((part) => key[part]).join('\t');

type Row = StatisticKey & Tally;

/** The rows to which cells add, without minutes that would be deleted again. All gateways write them in the same order. */
export function rowsOf(
  cells: readonly Cell[],
  rowFor: ReturnType<typeof createRowNames>,
  nowMs: number,
): Row[] {
  const rows = new Map<string, Row>();
  for (const { tally, ...cell } of cells) {
    for (const key of stepsOf(cell, nowMs).flatMap((step) => keysOf(cell, step))) {
      const named = rowFor(key);
      const name = nameOf(named);
      const row = rows.get(name) ?? { ...named, ...newTally() };
      addTally(row, tally);
      rows.set(name, row);
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** The steps in which a cell counts. */
const stepsOf = ({ minuteMs }: { readonly minuteMs: number }, nowMs: number): readonly Step[] =>
  minuteMs < nowMs - MINUTES_KEPT_MS ? STEPS.filter((step) => step !== 'minute') : STEPS;

/** The rows of a minute, hour or day to which a cell belongs. */
function keysOf({ minuteMs, ...cell }: Omit<Cell, 'tally'>, step: Step): StatisticKey[] {
  const bucket_ms = startOf(step, minuteMs);
  const key = (scope: string, kind: StatisticKey['kind'], subject: string): StatisticKey => ({
    ...{ step, scope, kind, bucket_ms, subject },
  });
  const { tenantId, apiKeyId, toolId, origin } = cell;
  const inScope = (scope: string) => [
    key(scope, 'all', ''),
    key(scope, 'tool', toolId),
    key(scope, 'key', apiKeyId),
    key(scope, 'upstream', origin),
  ];
  const rows = [
    ...inScope(tenantId),
    ...inScope(ALL_TENANTS),
    key(ALL_TENANTS, 'tenant', tenantId),
  ];
  // Pairs are many, and no page shows their minutes.
  return step === 'minute' ? rows : [...rows, key(tenantId, 'key_tool', pairOf(apiKeyId, toolId))];
}

/** The subject of the calls of a tool with a key. Ids of keys have no spaces. */
const pairOf = (apiKeyId: string, toolId: string): string =>
  toolId === OTHER ? OTHER : `${apiKeyId} ${toolId}`;

const TEXTS: ReadonlySet<string> = new Set(['step', 'scope', 'kind', 'subject']);

/**
 * Adds to rows in one statement, so all or nothing. It names only counters that change, which is much faster: most latencies
 * of a few seconds are in few buckets.
 */
export async function addRows(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const counters = COUNTERS.filter((counter) => rows.some((row) => row[counter] !== 0));
  const columns = [...KEY, 'last_ms', ...counters] as const;
  const added = counters.map((counter) => {
    const name = sql.ref(counter);
    return sql`${name} = statistics.${name} + excluded.${name}`;
  });
  // On both databases, `json_each` has a column `value`.
  const values = columns.map((column, at) =>
    TEXTS.has(column) ? sql`value->>${sql.lit(at)}` : sql`cast(value->>${sql.lit(at)} as bigint)`,
  );
  const json = JSON.stringify({ ...rows.map((row) => columns.map((column) => row[column])) });
  await sql`
    insert into statistics (${namesOf(columns)})
    select ${sql.join(values)} from json_each(${json}) where true
    on conflict (${namesOf(KEY)}) do update set ${sql.join(added)},
      last_ms = ${laterIn('statistics')}`.execute(db);
}

/** The later time of a row and of what is added to it. */
const laterIn = (table: 'statistics' | 'refusals') => {
  const own = sql.ref<number>(`${table}.last_ms`);
  return sql<number>`case when excluded.last_ms > ${own} then excluded.last_ms else ${own} end`;
};

const namesOf = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

/** The rows to which refused requests add: of the key in its tenant, and of the tenant among all. */
export function refusalRowsOf(
  cells: readonly RefusalCell[],
  rowFor: ReturnType<typeof createRowNames>,
  nowMs: number,
): RefusalsTable[] {
  const rows = new Map<string, RefusalsTable>();
  for (const cell of cells) {
    const { tenantId, apiKeyId, reason, count, lastMs } = cell;
    for (const step of stepsOf(cell, nowMs)) {
      const bucket_ms = startOf(step, cell.minuteMs);
      for (const [scope, id] of [
        [tenantId, apiKeyId],
        [ALL_TENANTS, tenantId],
      ] as const) {
        const { subject } = rowFor({ step, scope, kind: 'refused', bucket_ms, subject: id });
        const name = [step, scope, bucket_ms, subject, reason].join('\t');
        const row = rows.get(name) ?? {
          ...{ step, scope, bucket_ms, subject, reason },
          ...{ count: 0, last_ms: 0 },
        };
        row.count += count;
        row.last_ms = Math.max(row.last_ms, lastMs);
        rows.set(name, row);
      }
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const REFUSAL_KEY = ['step', 'scope', 'bucket_ms', 'subject', 'reason'] as const;

/** Adds to rows in one statement. */
export async function addRefusals(
  db: Kysely<Tables>,
  rows: readonly RefusalsTable[],
): Promise<void> {
  await db
    .insertInto('refusals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(REFUSAL_KEY)
        .doUpdateSet({ count: sql`refusals.count + excluded.count`, last_ms: laterIn('refusals') }),
    )
    .execute();
}

const ROWS_AT_ONCE = 300;

/**
 * Deletes some of the rows that are too old: minutes after two days, hours and days once retention has deleted all of
 * their records. Returns how many; 0 if none is left.
 */
export async function trimStatistics(db: Kysely<Tables>, nowMs: number): Promise<number> {
  const sweptMs = await sweptBefore(db);
  const beforeMs: Readonly<Record<Step, number>> = {
    minute: nowMs - MINUTES_KEPT_MS,
    hour: sweptMs - STEP_MS.hour + 1,
    day: sweptMs - STEP_MS.day + 1,
  };
  const deleted = [
    await trimTable(db, 'statistics', KEY, beforeMs),
    await trimTable(db, 'refusals', REFUSAL_KEY, beforeMs),
  ];
  return deleted.reduce((sum, rows) => sum + rows, 0);
}

async function trimTable(
  db: Kysely<Tables>,
  table: 'statistics' | 'refusals',
  key: readonly string[],
  beforeMs: Readonly<Record<Step, number>>,
): Promise<number> {
  const isOld = STEPS.map((step) => sql`(step = ${step} and bucket_ms < ${beforeMs[step]})`);
  const names = namesOf(key);
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${names}) in (
      select ${names} from ${sql.table(table)} where ${sql.join(isOld, sql` or `)}
      limit ${sql.lit(ROWS_AT_ONCE)})`.execute(db);
  return Number(numAffectedRows);
}

/** Follows retention, which does not trust a clock that is far ahead. */
async function sweptBefore(db: Kysely<Tables>): Promise<number> {
  const cutoff = await db.selectFrom('audit_retention').select('cutoff_ms').executeTakeFirst();
  return cutoff?.cutoff_ms ?? 0;
}
