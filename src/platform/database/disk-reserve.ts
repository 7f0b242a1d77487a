import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareDataDir } from './data-dir.ts';

const FILE_NAME = 'disk.reserve';
/** Enough for the records of thousands of calls in progress, and for SQLite to open its files. */
const FILE_BYTES = 4 * 1024 * 1024;
const CHECK_INTERVAL_MS = 1000;
/** More space than the floor must be free before calls are accepted again, so that the state does not flap. */
const RECOVERY_FACTOR = 1.25;

export type DiskReserve = ReturnType<typeof openDiskReserve>;

/**
 * Space reserved on the disk of DATA_DIR: a floor below which no new call is accepted, and a file that can be deleted
 * if the disk fills up nevertheless, so that calls in progress can be recorded. Below the floor, the file is deleted at once: SQLite needs space even to open the databases. With `floorBytes` 0,
 * nothing is reserved. Throws StartupError if DATA_DIR cannot be used.
 */
export function openDiskReserve(options: {
  readonly dataDir: string;
  readonly floorBytes: number;
}) {
  const { dataDir, floorBytes } = options;
  prepareDataDir(dataDir);
  const path = join(dataDir, FILE_NAME);
  let timer: NodeJS.Timeout | undefined;

  /** Deletes the file. Returns false if it did not exist. */
  const release = (): boolean => {
    const existed = existsSync(path);
    rmSync(path, { force: true });
    return existed;
  };

  /** Creates the file again. Returns false while there is no space for it above the floor. */
  const restore = (): boolean => {
    if (floorBytes === 0) return true;
    const neededBytes = floorBytes * RECOVERY_FACTOR + (existsSync(path) ? 0 : FILE_BYTES);
    return freeBytes(dataDir) >= neededBytes && fill(path);
  };

  if (floorBytes === 0 || freeBytes(dataDir) < floorBytes) release();
  else fill(path);

  return {
    /** Calls `onLow` while the free space is below the floor. Checks at once and then every second. */
    watch: (onLow: () => void): void => {
      if (floorBytes === 0) return;
      if (freeBytes(dataDir) < floorBytes) onLow();
      const check = async (): Promise<void> => {
        const { bavail, bsize } = await statfs(dataDir);
        if (bavail * bsize < floorBytes) onLow();
      };
      // If the file system cannot report its free space, a failed write will show that it is full.
      timer = setInterval(() => void check().catch(() => undefined), CHECK_INTERVAL_MS).unref();
    },
    release,
    restore,
    close: async (): Promise<void> => clearInterval(timer),
  };
}

function freeBytes(dataDir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Writes random bytes, because a file system may compress others to nothing. Returns false if there is no space. */
function fill(path: string): boolean {
  if (existsSync(path)) return true;
  try {
    writeFileSync(path, randomBytes(FILE_BYTES), { mode: 0o600 });
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}
