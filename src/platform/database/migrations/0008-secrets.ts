import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Credentials of tenants, encrypted. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('field', 'text', (column) => column.notNull())
    .addColumn('encrypted', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('secrets_owner', ['tenant_id', 'subject_id', 'field'])
    .execute();
  await db.schema.createIndex('secrets_key').on('secrets').column('key_id').execute();
}
