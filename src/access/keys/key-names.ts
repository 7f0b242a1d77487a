import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** The names of these API keys, at most 500, by id. Rejects with `unavailable`. */
export async function keyNamesOf(
  db: Kysely<Tables>,
  apiKeyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = await runQuery(() =>
    db.selectFrom('api_keys').select(['id', 'name']).where('id', 'in', apiKeyIds).execute(),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
