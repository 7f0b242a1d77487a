import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** In `audit.db` only. Ids are never reused, so they order the rows by age. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_dead_letters')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('row', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('buried_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}
