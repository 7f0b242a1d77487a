import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Several people may claim an unproved address. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('people_users').addColumn('claimed_email', 'text').execute();
  await db.schema
    .createIndex('people_users_claimed_email')
    .on('people_users')
    .column('claimed_email')
    .execute();
}
