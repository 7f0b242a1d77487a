import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Running gateways notice every change to a key, not only its revocation. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('api_keys')
    .renameColumn('revoked_version', 'changed_version')
    .execute();
}
