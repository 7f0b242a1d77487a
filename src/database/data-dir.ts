import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Closeable } from '../kernel/closeable.ts';
import { StartupError } from '../kernel/startup-error.ts';

/** Makes DATA_DIR, readable by its owner alone, unless it is there. Throws StartupError when it cannot be used. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (statSync(dataDir).isDirectory()) return;
  } catch (error) {
    throw unusable(dataDir, error);
  }
  throw unusable(dataDir);
}

/** Creates a file readable by its owner alone; SQLite gives the same mode to the files it puts beside it. */
export function createPrivateFile(dataDir: string, name: string): string {
  const path = join(dataDir, name);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unusable(dataDir, error);
  }
  return path;
}

/**
 * Holds DATA_DIR for one gateway until closed. The lock is SQLite's own file lock, which the operating system lets go
 * of even after `kill -9`, so that there are no stale lock files. Throws StartupError when another gateway holds it.
 */
export function lockDataDir(dataDir: string): Closeable {
  prepareDataDir(dataDir);
  const lock = new DatabaseSync(createPrivateFile(dataDir, 'gateway.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new StartupError(
      `Another gateway is using the data directory ${dataDir}. Stop it, or give this one its own DATA_DIR.`,
      { cause: error },
    );
  }
  return {
    close: async () => {
      if (lock.isOpen) lock.close();
    },
  };
}

function unusable(dataDir: string, cause?: unknown): StartupError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : 'ENOTDIR';
  const what =
    code === 'EEXIST' || code === 'ENOTDIR'
      ? `The data directory ${dataDir} is not a directory.`
      : `The data directory ${dataDir} cannot be written (${code}).`;
  return new StartupError(`${what} Set DATA_DIR to a directory that the gateway may write.`, {
    cause,
  });
}
