import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * Keys remember the limit that an operator gave them: one that a tenant's admin gave is capped. Which of the two gave an
 * earlier limit is certain only for a key that the command line created and that was not changed since.
 */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('operator_rate_limit', 'integer').execute();
  await db
    .updateTable('api_keys')
    .set((eb) => ({ operator_rate_limit: eb.ref('rate_limit_per_minute') }))
    .where('owner', '=', 'cli')
    .where('revision', '=', 1)
    .where('rotated_from', 'is', null)
    .execute();
}
