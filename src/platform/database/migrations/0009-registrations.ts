import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** APIs that tenants registered. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('registrations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('visibility', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('base_url', 'text', (column) => column.notNull())
    .addColumn('auth', 'text', (column) => column.notNull())
    .addColumn('credential_version', 'integer', (column) => column.notNull())
    .addColumn('category', 'text')
    .addColumn('description', 'text')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('tool_count', 'integer', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('registrations_slug', ['tenant_id', 'slug'])
    .addUniqueConstraint('registrations_name', ['tenant_id', 'name_key'])
    .execute();
  await db.schema
    .createTable('registration_versions')
    .addColumn('registration_id', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('document_id', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('tools', 'text', (column) => column.notNull())
    .addColumn('report', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('registration_versions_key', ['registration_id', 'version'])
    .execute();
  await db.schema
    .createTable('registration_documents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('content', 'bytea', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('registration_layers')
    .addColumn('layer', 'text', (column) => column.primaryKey())
    .addColumn('changed_version', 'bigint', (column) => column.notNull())
    .execute();
  await db.insertInto('changes').values({ topic: 'registrations', version: 0 }).execute();
}
