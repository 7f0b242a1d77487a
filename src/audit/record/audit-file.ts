import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate } from '../../platform/database/migrate.ts';
import { AUDIT_MIGRATIONS } from '../../platform/database/migrations.ts';
import { createSqliteDialect } from '../../platform/database/sqlite-dialect.ts';
import { openSqliteFile } from '../../platform/database/sqlite-file.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';

export const AUDIT_FILE_NAME = 'audit.db';
/** Free pages of 4 KiB that are kept for the records to come. */
const SPARE_PAGES = 2500;
const PAGES_AT_ONCE = 500;
/**
 * 16 MiB of write-ahead log between checkpoints. The last pages of the table are written by commit after commit; the
 * rarer the checkpoint, the fewer times they are copied and the disk is waited for.
 */
const CHECKPOINT_PAGES = 4000;

/** `audit.db`: the audit table of the embedded database, and the outbox towards PostgreSQL. */
export interface AuditFile extends Closeable {
  /** The ledger's own connection, which never leaves a transaction open between turns of the event loop. */
  readonly writer: DatabaseSync;
  /** For queries and single-statement deletions; a transaction here would make the writer wait, and everybody with it. */
  readonly db: Kysely<Tables>;
  /** Gives some of the space of deleted records back to the disk. */
  giveBackSpace(): void;
}

/** Whether there is an `audit.db` in DATA_DIR: a command that only reads must not make one. */
export const hasAuditFile = (dataDir: string): boolean =>
  existsSync(join(dataDir, AUDIT_FILE_NAME));

/** Opens or creates `audit.db` in DATA_DIR. Throws StartupError when it cannot be used. */
export async function openAuditFile(options: {
  readonly dataDir: string;
  readonly fsync: boolean;
}): Promise<AuditFile> {
  const writer = openSqliteFile({ ...options, name: AUDIT_FILE_NAME });
  writer.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const file = openSqliteFile({ ...options, name: AUDIT_FILE_NAME });
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  const close = async (): Promise<void> => {
    await db.destroy();
    if (writer.isOpen) writer.close();
  };
  try {
    await migrate(db, 'embedded', AUDIT_MIGRATIONS);
  } catch (error) {
    await close();
    throw error;
  }
  const freePages = writer.prepare('PRAGMA freelist_count');
  return {
    writer,
    db,
    giveBackSpace: () => {
      const count = freePages.get()?.['freelist_count'];
      if (typeof count === 'number' && count > SPARE_PAGES) {
        writer.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
      }
    },
    close,
  };
}
