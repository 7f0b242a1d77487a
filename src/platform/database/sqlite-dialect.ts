import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';

/** The SQLite dialect of Kysely on `node:sqlite`. Closing Kysely closes the file. */
export function createSqliteDialect(file: DatabaseSync): Dialect {
  return new SqliteDialect({
    database: { prepare: (sql) => prepare(file, sql), close: () => file.close() },
  });
}

function prepare(file: DatabaseSync, sql: string) {
  // A transaction that starts with a read cannot wait for the write lock later; an immediate one waits at its start.
  const statement = file.prepare(sql === 'begin' ? 'begin immediate' : sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...parameters.map(toInput)),
    run(parameters: readonly unknown[]) {
      // SQLite itself rolls back what a full disk ends. The error that says so must not be replaced by that of a rollback.
      if (sql === 'rollback' && !file.isTransaction) return { changes: 0, lastInsertRowid: 0 };
      return statement.run(...parameters.map(toInput));
    },
    iterate: (parameters: readonly unknown[]) => statement.iterate(...parameters.map(toInput)),
  };
}

function toInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`A query parameter of type ${typeof value} cannot be stored.`);
}
