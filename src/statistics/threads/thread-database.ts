import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect } from 'kysely';
import { createPostgresPool } from '../../platform/database/postgres-pool.ts';
import { createSqliteDialect } from '../../platform/database/sqlite-dialect.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { Secret } from '../../platform/kernel/secret.ts';

/** The database that a thread connects to: `audit.db`, or a PostgreSQL server. */
export type ThreadSource =
  | { readonly backend: 'embedded'; readonly path: string }
  | { readonly backend: 'postgres'; readonly url: string };

const BUSY_TIMEOUT_MS = 5000;

/** A connection of the thread's own. `file` is undefined on PostgreSQL. */
export function openThreadDatabase(source: ThreadSource, readOnly: boolean) {
  if (source.backend === 'postgres') {
    const pool = createPostgresPool({ databaseUrl: new Secret(source.url), maxConnections: 1 });
    return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), file: undefined };
  }
  const file = new DatabaseSync(source.path, { readOnly, timeout: BUSY_TIMEOUT_MS });
  return { db: new Kysely<Tables>({ dialect: createSqliteDialect(file) }), file };
}
