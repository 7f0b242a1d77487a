import { backup, DatabaseSync } from 'node:sqlite';

/** Pages per step: all. A backup in several steps restarts with every commit of another process. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies an SQLite file as it is at one moment, while other processes may read and write it, and returns the migrations
 * that have run on it. Needs the memory of a page cache, whatever the size.
 */
export async function copyDatabase(from: string, to: string): Promise<readonly string[]> {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to);
  try {
    // One file, without a write-ahead log beside it.
    copy.exec('PRAGMA journal_mode = DELETE');
    return migrationsOf(copy);
  } finally {
    copy.close();
  }
}

function migrationsOf(file: DatabaseSync): string[] {
  const hasTable = file.prepare("SELECT 1 FROM sqlite_master WHERE name = 'kysely_migration'");
  if (!hasTable.get()) return [];
  const rows = file.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
  return rows.map(({ name }) => String(name));
}
