import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('allowed_tools', 'text')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint')
    .addColumn('revoked_at_ms', 'bigint')
    .addColumn('revoked_version', 'bigint')
    .execute();
  await db.schema
    .createIndex('api_keys_tenant')
    .on('api_keys')
    .columns(['tenant_id', 'id'])
    .execute();
  await db.schema
    .createIndex('api_keys_revoked')
    .on('api_keys')
    .column('revoked_version')
    .execute();
  await db.schema
    .createTable('changes')
    .addColumn('topic', 'text', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await db.insertInto('changes').values({ topic: 'api_keys', version: 0 }).execute();
}
