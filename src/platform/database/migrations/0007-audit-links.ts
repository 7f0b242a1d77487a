import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** The hash chain over the audit records, and how far old records have been deleted. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_links')
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('made_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('record_count', 'integer', (column) => column.notNull())
    .addColumn('records_total', 'bigint', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('records_hash', 'text', (column) => column.notNull())
    .addColumn('prev_hash', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_links_pkey', ['origin', 'seq'])
    .execute();
  await db.schema
    .createIndex('audit_links_sweeps')
    .on('audit_links')
    .columns(['origin', 'seq'])
    .where(sql.ref('kind'), '=', 'sweep')
    .execute();
  await db.schema
    .createTable('audit_sweeps')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('swept_before_ms', 'bigint')
    .addColumn('stepped_at_ms', 'bigint')
    .addColumn('approved_before_ms', 'bigint')
    .execute();
  await db.insertInto('audit_sweeps').values({ id: 1 }).execute();
}
