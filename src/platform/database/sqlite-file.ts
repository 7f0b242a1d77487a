import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../kernel/startup-error.ts';
import { createPrivateFile, prepareDataDir } from './data-dir.ts';
import { isSqliteBusy } from './sqlite-error.ts';

const BUSY_TIMEOUT_MS = 5000;

export interface SqliteFileOptions {
  readonly dataDir: string;
  readonly name: string;
  /** Sync every commit to the disk, so that it survives a power cut; otherwise it survives the process only. */
  readonly fsync?: boolean;
}

/** Opens, or creates, a SQLite file in write-ahead mode. Throws StartupError when it cannot be used. */
export function openSqliteFile(options: SqliteFileOptions): DatabaseSync {
  prepareDataDir(options.dataDir);
  const path = createPrivateFile(options.dataDir, options.name);
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // auto_vacuum only counts before the first page is written: deleted audit records give their disk space back.
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

/** SQLite does not wait for a lock here, whatever the busy timeout: two processes that start together must try again. */
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
