import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Keys get limits of their own, an owner, a description and a successor, and a count of today's requests. */
export async function up(db: Kysely<Tables>): Promise<void> {
  // SQLite adds one column in a statement.
  for (const name of ['rate_limit_per_minute', 'daily_limit'] as const) {
    await db.schema.alterTable('api_keys').addColumn(name, 'integer').execute();
  }
  for (const name of ['owner', 'description', 'rotated_from', 'rotated_to'] as const) {
    await db.schema.alterTable('api_keys').addColumn(name, 'text').execute();
  }
  await db.schema
    .alterTable('api_keys')
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .createTable('api_key_days')
    .addColumn('api_key_id', 'text', (column) => column.primaryKey())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .execute();
}
