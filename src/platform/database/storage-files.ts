import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file of DATA_DIR that grows, and what would make it smaller. */
export interface StorageFile {
  readonly name: string;
  /** With what SQLite has written beside it. */
  readonly sizeBytes: number;
  readonly advice: string;
}

/** What DATA_DIR takes of its disk. */
export interface StorageReport {
  /** Null where the file system does not tell. */
  readonly freeBytes: number | null;
  readonly files: readonly StorageFile[];
}

const ADVICE: Readonly<Record<string, string>> = {
  'audit.db':
    'A shorter AUDIT_RETENTION_DAYS makes it smaller. Space of deleted records is used again.',
  'gateway.db':
    'It holds keys, people, registered APIs and the last good responses: a smaller LAST_GOOD_MAX_BYTES makes it smaller.',
};

/** The sizes of the databases in DATA_DIR, and what is free on its disk. Files that cannot be read are left out. */
export function readStorage(dataDir: string): StorageReport {
  return {
    freeBytes: attempt(() => {
      const { bavail, bsize } = statfsSync(dataDir);
      return bavail * bsize;
    }),
    files: (attempt(() => readdirSync(dataDir)) ?? [])
      .filter((name) => name.endsWith('.db'))
      .sort()
      .map((name) => ({
        name,
        sizeBytes: ['', '-wal'].reduce((sum, end) => sum + sizeOf(join(dataDir, name + end)), 0),
        advice: ADVICE[name] ?? '',
      })),
  };
}

const sizeOf = (path: string): number => attempt(() => statSync(path).size) ?? 0;

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
