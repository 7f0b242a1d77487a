import type { Compilable, Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { AuditSearch } from './audit-search.ts';

/** Builds queries of the audit log, and runs them where they do not block the event loop. */
export interface AuditQueries {
  /** Only builds queries. */
  readonly db: Kysely<Tables>;
  /** Rejects with GatewayError `unavailable`, and with `overloaded` while too many queries wait. */
  run<Row>(query: Compilable<Row>): Promise<readonly Row[]>;
}

/** Without `search`, `db` runs the queries itself. */
export function createAuditQueries(db: Kysely<Tables>, search?: AuditSearch['run']): AuditQueries {
  return {
    db,
    run: <Row>(query: Compilable<Row>) =>
      runQuery(async () => {
        const compiled = query.compile();
        return search ? search(compiled) : (await db.executeQuery(compiled)).rows;
      }),
  };
}
