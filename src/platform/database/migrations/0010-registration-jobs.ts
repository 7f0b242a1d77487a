import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The queue of registration jobs. The columns that only running jobs have keep the index of the queue small. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('registration_jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('api_key_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('due_at_ms', 'bigint')
    .addColumn('place_ms', 'bigint')
    .addColumn('deadline_at_ms', 'bigint')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('is_dry_run', 'integer', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('document_id', 'text')
    .addColumn('error', 'text')
    .addColumn('report', 'text')
    .addColumn('registration_id', 'text')
    .addColumn('idempotency_key', 'text')
    .addColumn('request_digest', 'text')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('registration_jobs_idempotency', ['api_key_id', 'idempotency_key'])
    .execute();
  await db.schema
    .createIndex('registration_jobs_queue')
    .on('registration_jobs')
    .column('place_ms')
    .where('place_ms', 'is not', null)
    .execute();
  await db.schema
    .createIndex('registration_jobs_tenant')
    .on('registration_jobs')
    .columns(['tenant_id', 'id'])
    .execute();
  await db.schema
    .createIndex('registration_jobs_registration')
    .on('registration_jobs')
    .column('registration_id')
    .execute();
}
