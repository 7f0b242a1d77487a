import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * In `audit.db`, records are counted by row id. SQLite assigns the row id of a deleted newest record again, so the
 * trigger moves the progress back with it.
 */
export async function upEmbedded(db: Kysely<Tables>): Promise<void> {
  await createTables(db, sql`without rowid`);
  await db
    .insertInto('statistics_progress')
    .values(['minute', 'hour', 'day'].map((step) => ({ ...START, step })))
    .execute();
  await sql`
    create trigger statistics_row_ids after delete on audit_records
    when old.rowid <= (select max(row_id) from statistics_progress)
    begin
      update statistics_progress
      set row_id = (select coalesce(max(rowid), 0) from audit_records), audit_id = ''
      where row_id > (select coalesce(max(rowid), 0) from audit_records);
    end`.execute(db);
}

/** On PostgreSQL, records that are inserted wait until they are counted; those that exist already are counted by id. */
export async function upPostgres(db: Kysely<Tables>): Promise<void> {
  // Rows change often while their minute lasts: free space in a page saves an entry of the index for each change.
  await createTables(db, sql`with (fillfactor = 70)`);
  await createWaiting(db);
  const newest = await db
    .selectFrom('audit_records')
    .select('audit_id')
    .orderBy('audit_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  await db
    .insertInto('statistics_progress')
    .values({ ...START, until_audit_id: newest?.audit_id ?? '' })
    .execute();
}

/** The columns of `audit_records` that are counted. */
async function createWaiting(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('statistics_waiting')
    .addColumn('id', 'bigserial', (column) => column.primaryKey())
    .addColumn('audit_id', 'text', (column) => column.notNull())
    .addColumn('timestamp_ms', 'bigint', (column) => column.notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text', (column) => column.notNull())
    .addColumn('tool_id', 'text', (column) => column.notNull())
    .addColumn('upstream_url', 'text')
    .addColumn('cache_status', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('error_code', 'text')
    .addColumn('duration_ms', 'double precision', (column) => column.notNull())
    .addColumn('response_bytes', 'bigint', (column) => column.notNull())
    .execute();
}

const START = { step: 'all', row_id: 0, audit_id: '', until_audit_id: '' };

async function createTables(db: Kysely<Tables>, storage: ReturnType<typeof sql>): Promise<void> {
  let table = db.schema
    .createTable('statistics')
    .addColumn('step', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('bucket_ms', 'bigint', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull());
  for (const counter of COUNTERS)
    table = table.addColumn(counter, 'bigint', (column) => column.notNull());
  await table
    .addColumn('last_ms', 'bigint', (column) => column.notNull())
    .addColumn('latencies', 'bytea', (column) => column.notNull())
    .addPrimaryKeyConstraint('statistics_pkey', ['step', 'scope', 'kind', 'bucket_ms', 'subject'])
    .modifyEnd(storage)
    .execute();
  // For the deletion of old rows.
  await db.schema
    .createIndex('statistics_age')
    .on('statistics')
    .columns(['step', 'bucket_ms'])
    .execute();
  await db.schema
    .createTable('statistics_progress')
    .addColumn('step', 'text', (column) => column.primaryKey())
    .addColumn('row_id', 'bigint', (column) => column.notNull())
    .addColumn('audit_id', 'text', (column) => column.notNull())
    .addColumn('until_audit_id', 'text', (column) => column.notNull())
    .execute();
}

const COUNTERS = [
  'calls',
  'caller_failures',
  'upstream_failures',
  'gateway_failures',
  'hits',
  'stale',
  'coalesced',
  'misses',
  'bypassed',
  'requests',
  'response_bytes',
] as const;
