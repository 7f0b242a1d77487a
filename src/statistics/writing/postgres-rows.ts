import { type Kysely, sql } from 'kysely';
import type { StatisticsTable, Tables } from '../../platform/database/tables.ts';
import { type Addition, nameOf, type StatisticKey } from '../tally/count-records.ts';
import { mergeAdditions, OTHER } from '../tally/merge-additions.ts';
import { COUNTERS } from '../tally/tally.ts';

/** An advisory lock: a number that other users of the PostgreSQL database are unlikely to use. */
const STATISTICS_LOCK = 7_467_002;

/** Lets no other gateway change statistics until the transaction ends. Resolves with false if another one does. */
export async function tryLock(transaction: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(STATISTICS_LOCK)}) as locked`.execute(transaction);
  return rows[0]?.locked === true;
}

/** Adds to the rows on PostgreSQL. The transaction must hold the lock. */
export async function addToPostgres(
  transaction: Kysely<Tables>,
  additions: readonly Addition[],
): Promise<void> {
  if (additions.length === 0) return;
  const rows = await readRows(transaction, additions);
  const counts = await countRows(
    transaction,
    additions.filter(({ key }) => !rows.has(nameOf(key))),
  );
  await writeRows(
    transaction,
    mergeAdditions(additions, {
      row: (key) => rows.get(nameOf(key)),
      countLike: (key) => counts.get(groupOf(key)) ?? 0,
    }),
  );
}

const KEY_TYPES = sql`(step text, scope text, kind text, bucket_ms bigint, subject text)`;

const keyList = (keys: Iterable<StatisticKey>) =>
  sql`json_to_recordset(${JSON.stringify([...keys])}::json) as wanted${KEY_TYPES}`;

const groupOf = (key: StatisticKey): string => nameOf({ ...key, subject: '' });

/** Also those of `(other)`, to which calls may be added instead. */
async function readRows(
  db: Kysely<Tables>,
  additions: readonly Addition[],
): Promise<ReadonlyMap<string, StatisticsTable>> {
  const keys = new Map<string, StatisticKey>();
  for (const { key } of additions) {
    keys.set(nameOf(key), key);
    const other = { ...key, subject: OTHER };
    keys.set(nameOf(other), other);
  }
  const { rows } = await sql<StatisticsTable>`
    select statistics.* from ${keyList(keys.values())}
    join statistics using (step, scope, kind, bucket_ms, subject)`.execute(db);
  return new Map(rows.map((row) => [nameOf(row), row]));
}

async function countRows(
  db: Kysely<Tables>,
  additions: readonly Addition[],
): Promise<ReadonlyMap<string, number>> {
  const groups = new Map(additions.map(({ key }) => [groupOf(key), { ...key, subject: '' }]));
  if (groups.size === 0) return new Map();
  const { rows } = await sql<StatisticKey & { count: number }>`
    select wanted.*, (
      select count(*) from statistics where step = wanted.step and scope = wanted.scope
      and kind = wanted.kind and bucket_ms = wanted.bucket_ms
    ) as count from ${keyList(groups.values())}`.execute(db);
  return new Map(rows.map((row) => [groupOf(row), row.count]));
}

const CHANGED = [...COUNTERS, 'last_ms', 'latencies'] as const;

async function writeRows(db: Kysely<Tables>, rows: readonly StatisticsTable[]): Promise<void> {
  const json = JSON.stringify(
    rows.map((row) => ({ ...row, latencies: `\\x${Buffer.from(row.latencies).toString('hex')}` })),
  );
  const changes = CHANGED.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`);
  await sql`
    insert into statistics select * from json_populate_recordset(null::statistics, ${json}::json)
    on conflict (step, scope, kind, bucket_ms, subject) do update set ${sql.join(changes)}`.execute(
    db,
  );
}
