import { DatabaseSync } from 'node:sqlite';
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
