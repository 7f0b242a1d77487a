import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Compiled tools are stored with their version. Without them, as an older gateway leaves it, they are compiled again. */
export async function up(db: Kysely<Tables>): Promise<void> {
  // SQLite adds one column in a statement.
  await db.schema.alterTable('registration_versions').addColumn('compiled', 'bytea').execute();
  await db.schema.alterTable('registration_versions').addColumn('compiled_stamp', 'text').execute();
}
