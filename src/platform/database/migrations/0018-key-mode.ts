import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Keys may list only the tools that search for the others. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('mode', 'text').execute();
}
