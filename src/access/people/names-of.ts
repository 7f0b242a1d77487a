import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** The names of these people, at most 500, by id; people who were deleted are absent. Rejects with `unavailable`. */
export async function namesOf(
  db: Kysely<Tables>,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (personIds.length === 0) return new Map();
  const rows = await runQuery(() =>
    db.selectFrom('people_users').select(['id', 'name']).where('id', 'in', personIds).execute(),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
