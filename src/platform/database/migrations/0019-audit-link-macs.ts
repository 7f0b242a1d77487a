import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** By which the gateway recognises its own links in `audit.db`. PostgreSQL does not get them. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('audit_links')
    .addColumn('mac', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
