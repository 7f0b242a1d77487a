import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Closeable } from '../kernel/closeable.ts';
import { prepareDataDir } from './data-dir.ts';

const FILE_NAME = 'disk.reserve';
/** Enough for the records of thousands of calls under way, and for SQLite to open its files. */
const FILE_BYTES = 4 * 1024 * 1024;
const LOOK_INTERVAL_MS = 1000;
/** Room is back only with some more, so that calls are not refused and taken by turns. */
const BACK_AT = 1.25;

/**
 * Room kept free on the disk of DATA_DIR: a floor below which no new work may begin, and under it a file that can be
 * given up when the disk is full all the same, so that work under way can be recorded.
 */
export interface DiskReserve extends Closeable {
  /** Calls `onLow` when the floor is passed, at once if it is already; looks every second. */
  watch(onLow: () => void): void;
  /** Gives the file up; returns false when there was none. */
  release(): boolean;
  /** Makes the file again; returns false while there is no room for it above the floor. */
  restore(): boolean;
}

/**
 * Below the floor the file is given up at once: SQLite needs room even to open the databases. `floorBytes` 0 keeps
 * nothing. Throws StartupError when DATA_DIR cannot be used.
 */
export function openDiskReserve(options: {
  readonly dataDir: string;
  readonly floorBytes: number;
}): DiskReserve {
  const { dataDir, floorBytes } = options;
  prepareDataDir(dataDir);
  const path = join(dataDir, FILE_NAME);
  let timer: NodeJS.Timeout | undefined;

  const release = (): boolean => {
    const there = existsSync(path);
    rmSync(path, { force: true });
    return there;
  };

  const restore = (): boolean => {
    if (floorBytes === 0) return true;
    const neededBytes = floorBytes * BACK_AT + (existsSync(path) ? 0 : FILE_BYTES);
    return freeBytes(dataDir) >= neededBytes && fill(path);
  };

  if (floorBytes === 0 || freeBytes(dataDir) < floorBytes) release();
  else fill(path);

  return {
    watch: (onLow) => {
      if (floorBytes === 0) return;
      if (freeBytes(dataDir) < floorBytes) onLow();
      const look = async (): Promise<void> => {
        const { bavail, bsize } = await statfs(dataDir);
        if (bavail * bsize < floorBytes) onLow();
      };
      // A file system that cannot tell says so when it is written to.
      timer = setInterval(() => void look().catch(() => undefined), LOOK_INTERVAL_MS).unref();
    },
    release,
    restore,
    close: async () => clearInterval(timer),
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

/** Random bytes, because a file system may store others in no room at all. Returns false when there is no room. */
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
