import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * Lets failures be counted by outcome, and found by cause, in their index alone. The new columns come last, so that
 * new rows are still added at the end of their tenant's range. A successful call pays nothing for this index.
 */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.dropIndex('audit_records_failed').execute();
  await db.schema
    .createIndex('audit_records_failed')
    .on('audit_records')
    .columns(['tenant_id', 'timestamp_ms', 'audit_id', 'tool', 'outcome', 'error_code'])
    .where(sql.ref('outcome'), '<>', 'ok')
    .execute();
}
