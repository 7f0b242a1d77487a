import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** When each provider key last changed, and by whom. The value is in `secrets`, so that it is rotated with the others. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('provider_keys')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('changed_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .execute();
  await db.insertInto('changes').values({ topic: 'provider_keys', version: 0 }).execute();
}
