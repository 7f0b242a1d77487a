import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The administrative trail. Running gateways also notice new keys in the same way as changed ones. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('admin_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('timestamp_ms', 'bigint', (column) => column.notNull())
    .addColumn('tenant_id', 'text')
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('details', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('admin_events_tenant')
    .on('admin_events')
    .columns(['tenant_id', 'id'])
    .execute();
  await db.schema.alterTable('api_keys').addColumn('created_version', 'bigint').execute();
}
