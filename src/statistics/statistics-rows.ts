import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { StatisticsTable, Tables } from '../platform/database/tables.ts';
import type { Cell } from './cells.ts';
import { addLatencies, packLatencies } from './latencies.ts';
import { type Step, startOf } from './steps.ts';
import { addTally, COUNTERS, newTally, type Tally } from './tally.ts';

/** The columns that name a row of statistics. */
export const KEY = ['step', 'scope', 'kind', 'bucket_ms', 'subject'] as const;

/** What identifies a row. */
type StatisticKey = Pick<StatisticsTable, (typeof KEY)[number]>;

/** The scope of the statistics over all tenants. */
export const ALL_TENANTS = '*';

/** The subject of calls whose own subject has no row, because the row's minute, hour or day has too many. */
export const OTHER = '(other)';

/** How many subjects of one kind have rows in one scope and one minute, hour or day. */
export const MAX_SUBJECTS: Readonly<Record<Step, number>> = { minute: 100, hour: 500, day: 2000 };

/** Calls to be added to rows, by the name of the row. */
export type Additions = Map<string, { readonly key: StatisticKey; readonly tally: Tally }>;

const nameOf = (key: StatisticKey): string => KEY.map((part) => key[part]).join('\t');

function add(additions: Additions, key: StatisticKey, tally: Tally): void {
  const name = nameOf(key);
  const addition = additions.get(name) ?? { key, tally: newTally() };
  addTally(addition.tally, tally);
  additions.set(name, addition);
}

/** Adds the calls of a cell for each row of a minute, hour or day that they belong to. */
export function addCell(additions: Additions, { tally, ...cell }: Cell, step: Step): void {
  const bucket_ms = startOf(step, cell.minuteMs);
  const addTo = (scope: string, kind: StatisticKey['kind'], subject: string): void =>
    add(additions, { step, scope, kind, bucket_ms, subject }, tally);
  const { tenantId, apiKeyId, toolId, origin } = cell;
  for (const scope of [tenantId, ALL_TENANTS]) {
    addTo(scope, 'all', '');
    addTo(scope, 'tool', toolId);
    addTo(scope, 'key', apiKeyId);
    addTo(scope, 'upstream', origin);
  }
  addTo(ALL_TENANTS, 'tenant', tenantId);
}

/** The most rows that `addCell` adds to. */
export const ROWS_OF_CELL = 9;

/** Rows of one statement: SQLite takes 32,766 parameters. */
const ROWS_AT_ONCE = 100;

/**
 * The statements that store additions, for a caller that keeps others from writing the same rows until they are executed: latencies
 * are merged and new subjects are counted here.
 */
export async function prepareUpserts(
  db: Kysely<Tables>,
  additions: Additions,
): Promise<readonly CompiledQuery[]> {
  const stored = await readLatencies(db, additions);
  const placed = await placeAdditions(db, additions, stored);
  const others = [...placed].filter(([name]) => !additions.has(name));
  const storedOthers = await readLatencies(db, new Map(others));
  const rows = [...placed].map(([name, { key, tally }]) => {
    const before = stored.get(name) ?? storedOthers.get(name);
    if (before) addLatencies(tally.latencies, before);
    return { ...key, ...tally, latencies: packLatencies(tally.latencies) };
  });
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, n) =>
    upsert(db, rows.slice(n * ROWS_AT_ONCE, (n + 1) * ROWS_AT_ONCE)),
  );
}

/** Moves the calls of subjects for which there is no room to `(other)`. */
async function placeAdditions(
  db: Kysely<Tables>,
  additions: Additions,
  stored: ReadonlyMap<string, unknown>,
): Promise<Additions> {
  const isNew = (name: string, key: StatisticKey) => key.subject !== OTHER && !stored.has(name);
  const newKeys = [...additions].flatMap(([name, { key }]) => (isNew(name, key) ? [key] : []));
  const subjects = await countSubjects(db, newKeys);
  const hasRoom = (key: StatisticKey): boolean => {
    const group = groupOf(key);
    const count = subjects.get(group) ?? 0;
    if (count < MAX_SUBJECTS[key.step]) subjects.set(group, count + 1);
    return count < MAX_SUBJECTS[key.step];
  };
  const placed: Additions = new Map();
  for (const [name, addition] of additions) {
    const { key, tally } = addition;
    const isMoved = isNew(name, key) && !hasRoom(key);
    if (isMoved || placed.has(name)) add(placed, isMoved ? { ...key, subject: OTHER } : key, tally);
    else placed.set(name, addition);
  }
  return placed;
}

const groupOf = (key: StatisticKey): string => nameOf({ ...key, subject: '' });

/** A table of these keys: on both databases, `json_each` has the columns `key` (here, the index) and `value`. */
const tableOf = (keys: readonly StatisticKey[]) =>
  sql`json_each(${JSON.stringify({ ...keys.map((key) => KEY.map((part) => key[part])) })})`;

const IS_IN_GROUP = sql`step = value->>0 and scope = value->>1 and kind = value->>2
  and bucket_ms = cast(value->>3 as bigint)`;

/** The packed latencies of the rows that exist, by name. */
async function readLatencies(
  db: Kysely<Tables>,
  additions: Additions,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (additions.size === 0) return new Map();
  const keys = [...additions.values()].map(({ key }) => key);
  const names = [...additions.keys()];
  const { rows } = await sql<{ key: string; latencies: Uint8Array }>`
    select key, latencies from ${tableOf(keys)}
    join statistics on ${IS_IN_GROUP} and subject = value->>4`.execute(db);
  return new Map(rows.map(({ key, latencies }) => [names[Number(key)] ?? '', latencies]));
}

/** How many rows have the same step, scope, kind and bucket, by the name of the group. */
async function countSubjects(
  db: Kysely<Tables>,
  keys: readonly StatisticKey[],
): Promise<Map<string, number>> {
  const groups = [...new Map(keys.map((key) => [groupOf(key), key]))];
  if (groups.length === 0) return new Map();
  const { rows } = await sql<{ key: string; count: number }>`
    select key, (select count(*) from statistics where ${IS_IN_GROUP}) as count
    from ${tableOf(groups.map(([, key]) => key))}`.execute(db);
  return new Map(rows.map(({ key, count }) => [groups[Number(key)]?.[0] ?? '', count]));
}

const INCREASED = Object.fromEntries(
  COUNTERS.map((name) => [
    name,
    sql<number>`statistics.${sql.ref(name)} + excluded.${sql.ref(name)}`,
  ]),
);

const upsert = (db: Kysely<Tables>, rows: readonly StatisticsTable[]): CompiledQuery =>
  db
    .insertInto('statistics')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(KEY).doUpdateSet((eb) => ({
        ...INCREASED,
        last_ms: sql`case when excluded.last_ms > statistics.last_ms
          then excluded.last_ms else statistics.last_ms end`,
        latencies: eb.ref('excluded.latencies'),
      })),
    )
    .compile();
