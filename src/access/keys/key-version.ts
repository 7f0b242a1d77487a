import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';

/** The counter's row lock orders changes by version: a reader that has seen one has seen all before it. */
export async function raiseVersion(transaction: Kysely<Tables>): Promise<number> {
  const { version } = await transaction
    .updateTable('changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('topic', '=', 'api_keys')
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

export async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { version } = await db
    .selectFrom('changes')
    .select('version')
    .where('topic', '=', 'api_keys')
    .executeTakeFirstOrThrow();
  return version;
}
