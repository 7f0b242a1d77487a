import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { createSqliteDialect } from '../../src/platform/database/sqlite-dialect.ts';
import type { Tables } from '../../src/platform/database/tables.ts';
import { countFile } from '../../src/statistics/count-records.ts';

/** Counts the records of an `audit.db` until it is killed; prints a dot after each round. */
const [path = ''] = process.argv.slice(2);
const file = new DatabaseSync(path, { timeout: 5000 });
const db = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
for (;;) {
  await countFile({ db, nowMs: 0 });
  process.stdout.write('.');
}
