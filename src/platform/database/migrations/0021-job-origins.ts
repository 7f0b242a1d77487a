import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** A job may ask its tenant to confirm where the credential goes. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('registration_jobs').addColumn('origins', 'text').execute();
}
