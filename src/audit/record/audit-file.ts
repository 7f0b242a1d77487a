import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { workerDirs } from '../../platform/database/data-dir.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { AUDIT_MIGRATIONS } from '../../platform/database/migrations.ts';
import {
  assertReadable,
  HOW_TO_CREATE,
  readSchemaState,
} from '../../platform/database/schema-state.ts';
import { createSqliteDialect, openSqliteFile } from '../../platform/database/sqlite-file.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { StartupError } from '../../platform/kernel/error.ts';

export const AUDIT_FILE_NAME = 'audit.db';
/** Free pages of 4 KiB that stay in the file for new records. */
const SPARE_PAGES = 2500;
const PAGES_PER_RELEASE = 500;
/**
 * 16 MiB of write-ahead log between checkpoints. Consecutive commits write the same last pages of the table; rarer
 * checkpoints copy them less often and wait less for the disk.
 */
const CHECKPOINT_PAGES = 4000;

/** `audit.db`: the audit table of the embedded database, or the outbox of PostgreSQL. */
export type AuditFile = Awaited<ReturnType<typeof open>>;

/** Whether DATA_DIR contains `audit.db`: a command that only reads must not create it. */
export const hasAuditFile = (dataDir: string): boolean =>
  existsSync(join(dataDir, AUDIT_FILE_NAME));

/** DATA_DIR and the directories of workers in it, as far as they contain `audit.db`. */
export const auditDirs = (dataDir: string): readonly string[] =>
  [dataDir, ...workerDirs(dataDir).values()].filter(hasAuditFile);

export interface AuditFileOptions {
  readonly dataDir: string;
  /** AUDIT_FSYNC. */
  readonly fsync: boolean;
}

/** Opens or creates `audit.db` in DATA_DIR. Throws StartupError when it cannot be used. */
export const openAuditFile = (options: AuditFileOptions): Promise<AuditFile> =>
  open(options, (db) => migrate(db, 'embedded', AUDIT_MIGRATIONS));

/** Opens `audit.db` for a command that only reads: it is neither created nor migrated. Throws StartupError. */
export function openExistingAuditFile(dataDir: string): Promise<AuditFile> {
  if (!hasAuditFile(dataDir)) {
    throw new StartupError(`${dataDir} contains no audit log. ${HOW_TO_CREATE}`);
  }
  return open({ dataDir, fsync: false }, async (db) => {
    assertReadable(await readSchemaState(db, 'embedded', AUDIT_MIGRATIONS));
    return [];
  });
}

async function open(
  options: AuditFileOptions,
  prepare: (db: Kysely<Tables>) => Promise<readonly string[]>,
) {
  const writer = openSqliteFile({ ...options, name: AUDIT_FILE_NAME });
  writer.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const file = openSqliteFile({ ...options, name: AUDIT_FILE_NAME });
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  const close = async (): Promise<void> => {
    await db.destroy();
    if (writer.isOpen) writer.close();
  };
  const migrations = await prepare(db).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const freePages = writer.prepare('PRAGMA freelist_count');
  return {
    dataDir: options.dataDir,
    /** The ledger's connection. It never leaves a transaction open between turns of the event loop. */
    writer,
    /** For queries and single-statement deletions. A transaction here would block the writer, and every call with it. */
    db,
    /** The migrations that ran when the file was opened. */
    migrations,
    /** Returns some of the space of deleted records to the disk. */
    releaseSpace: (): void => {
      const count = freePages.get()?.['freelist_count'];
      if (typeof count === 'number' && count > SPARE_PAGES) {
        writer.exec(`PRAGMA incremental_vacuum(${PAGES_PER_RELEASE})`);
      }
    },
    close,
  };
}
