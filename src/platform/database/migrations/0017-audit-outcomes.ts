import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Records say why a call has no data or failed, and what was sent and received. */
export async function up(db: Kysely<Tables>): Promise<void> {
  // SQLite adds one column in a statement.
  for (const name of ['cause', 'answer'] as const) {
    await db.schema.alterTable('audit_records').addColumn(name, 'text').execute();
  }
}
