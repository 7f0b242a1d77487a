import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Closeable } from '../kernel/closing.ts';
import { StartupError } from '../kernel/error.ts';
import { isSqliteBusy } from './sqlite.ts';

/** The file in DATA_DIR that a running gateway has locked. */
export const LOCK_FILE_NAME = 'gateway.lock';

/** The directory in DATA_DIR that has a DATA_DIR for each worker, by its number. */
const WORKERS_DIR_NAME = 'workers';

export const workerDir = (dataDir: string, worker: number): string =>
  join(dataDir, WORKERS_DIR_NAME, String(worker));

/** The directories of all workers that ever started here, by number. */
export function workerDirs(dataDir: string): ReadonlyMap<number, string> {
  const dir = join(dataDir, WORKERS_DIR_NAME);
  const numbers = existsSync(dir) ? readdirSync(dir).filter((name) => /^[1-9]\d?$/.test(name)) : [];
  return new Map(numbers.map((name) => [Number(name), join(dir, name)]));
}

/** Creates DATA_DIR, readable only by its owner, unless it exists. Throws StartupError if it cannot be used. */
export function prepareDataDir(dataDir: string): void {
  try {
    createDirectory(dataDir);
    if (statSync(dataDir).isDirectory()) {
      accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
      return;
    }
  } catch (error) {
    throw unusable(dataDir, error);
  }
  throw unusable(dataDir);
}

/** Node's `recursive` never returns if the file system refuses with ENOENT, as /proc does. */
function createDirectory(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) createDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Creates a file readable only by its owner. SQLite uses the same mode for the files it creates beside it. */
export function createPrivateFile(dataDir: string, name: string): string {
  const path = join(dataDir, name);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unusable(dataDir, error);
  }
  return path;
}

/** Replaces a file that only its owner may read as a whole: a crash leaves the old one or the new one. */
export function replacePrivateFile(path: string, text: string, fsync: boolean): void {
  const next = `${path}.next`;
  const file = openSync(next, 'w', 0o600);
  try {
    writeSync(file, text);
    if (fsync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}

/**
 * Locks DATA_DIR for one gateway until closed. This is a SQLite file lock, which the operating system releases even
 * after `kill -9`, so a lock never becomes stale. Throws StartupError if another gateway holds it.
 */
export function lockDataDir(dataDir: string): Closeable {
  prepareDataDir(dataDir);
  const lock = new DatabaseSync(createPrivateFile(dataDir, LOCK_FILE_NAME), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isSqliteBusy(error)) throw unusable(dataDir, error);
    const { url, pid } = published(dataDir);
    const which = url && pid ? ` (process ${pid}, ${url})` : '';
    throw new StartupError(
      `Another gateway${which} is using the data directory ${dataDir}. Stop it, or give this one its own DATA_DIR.`,
      { cause: error },
    );
  }
  // Of a gateway that was killed.
  rmSync(join(dataDir, ADDRESS_FILE_NAME), { force: true });
  return {
    close: async () => {
      if (lock.isOpen) lock.close();
    },
  };
}

/** The file in DATA_DIR that has the address of the gateway which runs there, and its process id on a second line. */
const ADDRESS_FILE_NAME = 'gateway.address';

/** Tells the commands of this machine where the gateway is, until closed. If that fails, they use HOST and PORT. */
export function publishAddress(dataDir: string, url: string, pid: number): Closeable {
  const path = join(dataDir, ADDRESS_FILE_NAME);
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch {
      // As with a full disk: no reason to end a gateway that serves.
    }
  };
  attempt(() => replacePrivateFile(path, `${url}\n${pid}\n`, false));
  return { close: async () => attempt(() => rmSync(path, { force: true })) };
}

/** The address of the gateway that runs with this DATA_DIR, or ran until it was killed. */
export const publishedAddress = (dataDir: string): string | undefined => published(dataDir).url;

function published(dataDir: string): { url?: string | undefined; pid?: string | undefined } {
  try {
    const [url, pid] = readFileSync(join(dataDir, ADDRESS_FILE_NAME), 'utf8').split('\n');
    return { url, pid };
  } catch {
    return {};
  }
}

function unusable(dataDir: string, cause?: unknown): StartupError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : 'ENOTDIR';
  const reason = code === 'ERR_SQLITE_ERROR' && cause instanceof Error ? cause.message : code;
  const problem =
    code === 'EEXIST' || code === 'ENOTDIR'
      ? `The data directory ${dataDir} is not a directory.`
      : `The data directory ${dataDir} cannot be written (${reason}).`;
  return new StartupError(`${problem} Set DATA_DIR to a directory that the gateway can write to.`, {
    cause,
  });
}
