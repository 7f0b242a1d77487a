import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';
import { StartupError } from '../kernel/error.ts';
import { createPrivateFile, prepareDataDir } from './data-dir.ts';
import { isSqliteBusy } from './sqlite.ts';

const BUSY_TIMEOUT_MS = 5000;

export interface SqliteFileOptions {
  readonly dataDir: string;
  readonly name: string;
  /** Syncs every commit to the disk, so that it survives a power failure and not only the end of the process. */
  readonly fsync?: boolean;
}

/** Opens or creates an SQLite file in write-ahead mode. Throws StartupError if it cannot be used. */
export function openSqliteFile(options: SqliteFileOptions): DatabaseSync {
  prepareDataDir(options.dataDir);
  const path = createPrivateFile(options.dataDir, options.name);
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Lets the space of deleted audit records be returned to the disk. Has no effect once the first page is written.
    file.exec('PRAGMA auto_vacuum = INCREMENTAL');
    useWriteAheadLog(file);
    file.exec(`PRAGMA synchronous = ${options.fsync ? 'FULL' : 'NORMAL'}`);
    return file;
  } catch (error) {
    file.close();
    throw new StartupError(
      `The database file ${path} cannot be used: ${error instanceof Error ? error.message : error}.`,
      { cause: error },
    );
  }
}

/** SQLite ignores the busy timeout here, so two processes that start at the same time must retry. */
function useWriteAheadLog(file: DatabaseSync): void {
  for (let attempt = 1; ; attempt++) {
    try {
      file.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (attempt === 50 || !isSqliteBusy(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

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
      // SQLite itself rolls back what a full disk ends. The error that says so must not be replaced by the error of a rollback.
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
