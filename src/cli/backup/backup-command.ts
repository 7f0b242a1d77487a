import { existsSync, statfsSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Command } from 'commander';
import { hasAuditFile } from '../../audit/record/audit-file.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { hasDatabaseFile } from '../../platform/database/database.ts';
import { HOW_TO_CREATE } from '../../platform/database/schema-state.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { commit, VERSION } from '../../platform/kernel/version.ts';
import { KEY_FILE_NAME } from '../../platform/vault/key-file.ts';
import { databaseNameOf, printDatabaseName } from '../shared/with-database.ts';
import {
  BACKUP_FILES,
  BACKUP_TRACE,
  type BackupFile,
  type BackupManifest,
  databaseKindOf,
  describeDiskError,
  FORMAT,
  listFiles,
  sealFile,
  writeManifest,
} from './backup-manifest.ts';

export const backupCommand = (): Command =>
  new Command('backup')
    .description(
      'Copy the databases and the encryption key of DATA_DIR to a new directory, with checksums. A gateway may be running. A PostgreSQL database is not copied: use pg_dump after this command.',
    )
    .argument('<dir>', 'the directory to create')
    .option('--no-key', 'leave encryption.key out, to store it elsewhere')
    .addHelpText(
      'after',
      '\nExample: DATA_DIR=/var/lib/tool-gateway tool-gateway backup /backups/monday',
    )
    .action(runBackup);

async function runBackup(dir: string, { key }: { readonly key: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  printDatabaseName(databaseNameOf(settings));
  const { DATA_DIR: dataDir, DISK_RESERVE_BYTES: reserveBytes } = settings;
  const database = databaseKindOf(settings);
  if (!(database === 'embedded' ? hasDatabaseFile(dataDir) : hasAuditFile(dataDir))) {
    throw new StartupError(`There is nothing to back up in ${resolve(dataDir)}. ${HOW_TO_CREATE}`);
  }
  const nowMs = systemClock.now();
  const { files } = await writeBackup({
    dataDir,
    to: dir,
    database,
    withKey: key,
    reserveBytes,
    nowMs,
  });
  process.stdout.write(`Wrote ${listFiles(files)} and a manifest to ${resolve(dir)}.\n`);
  if (database === 'postgres') {
    process.stderr.write(
      'The PostgreSQL database is not in this backup. Run pg_dump now, and back up ENCRYPTION_KEY.\n',
    );
  }
}

export interface WriteBackupOptions {
  readonly dataDir: string;
  /** The directory to create. */
  readonly to: string;
  readonly database: BackupManifest['database'];
  readonly withKey: boolean;
  /** Space that must stay free. */
  readonly reserveBytes: number;
  readonly nowMs: number;
}

/**
 * Copies the files of DATA_DIR to a new directory, which gets its name when it is complete. A gateway may be running.
 * Throws StartupError, and then leaves nothing behind.
 */
export async function writeBackup(options: WriteBackupOptions): Promise<BackupManifest> {
  const { dataDir, database, withKey, reserveBytes, nowMs } = options;
  const to = resolve(options.to);
  if (existsSync(to)) throw new StartupError(`${to} already exists. Name a new directory.`);
  const names = BACKUP_FILES.filter(
    (name) => existsSync(join(dataDir, name)) && (withKey || name !== KEY_FILE_NAME),
  );
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    assertSpace(dirname(to), reserveBytes + bytesOf(dataDir, names));
    const dir = await mkdtemp(`${to}.partial-`);
    try {
      const files: BackupFile[] = [];
      for (const name of names) files.push(await copy(name, dataDir, dir));
      const createdAt = new Date(nowMs).toISOString();
      const manifest: BackupManifest = {
        format: FORMAT,
        createdAt,
        version: VERSION,
        commit: commit(),
        database,
        files,
      };
      writeManifest(dir, manifest);
      await rename(dir, to);
      await writeFile(join(dataDir, BACKUP_TRACE), `${createdAt}\n`, { mode: 0o600 });
      return manifest;
    } catch (error) {
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw describeDiskError(error, `The backup ${basename(to)} cannot be written`);
  }
}

async function copy(name: BackupFile['name'], from: string, to: string): Promise<BackupFile> {
  const [source, target] = [join(from, name), join(to, name)];
  if (name === KEY_FILE_NAME) {
    await copyFile(source, target);
    return { name, ...(await sealFile(target)) };
  }
  const migrations = await copyDatabase(source, target);
  return { name, ...(await sealFile(target)), migrations };
}

/** The size of the files with their write-ahead logs, at most some of which is the copy. */
const bytesOf = (dataDir: string, names: readonly string[]): number =>
  names
    .flatMap((name) => [name, `${name}-wal`])
    .map((name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);

/** The running gateway stops calls when the disk is full, so a backup must not fill it. */
function assertSpace(dir: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= neededBytes) return;
  throw new StartupError(
    `${dir} has too little space: the backup needs ${toMiB(neededBytes)} MiB, with the reserve of DISK_RESERVE_BYTES, and ${toMiB(bavail * bsize)} MiB are free. Name a directory on another disk.`,
  );
}

const toMiB = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);

/** Pages per step: all. A backup in several steps restarts with every commit of another process. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies an SQLite file as it is at one moment, while other processes may read and write it, and returns the migrations
 * that have run on it. Needs the memory of a page cache, whatever the size.
 */
async function copyDatabase(from: string, to: string): Promise<string[]> {
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
    emptyResponses(copy);
    return migrationsOf(copy);
  } finally {
    copy.close();
  }
}

/** The last good responses, and files of answers: like the cache, they need no copy, and may be most of the file. */
const RESPONSES = ['last_good', 'results', 'result_pieces'];

function emptyResponses(file: DatabaseSync): void {
  const hasTable = file.prepare('SELECT 1 FROM sqlite_master WHERE name = ?');
  const present = RESPONSES.filter((name) => hasTable.get(name));
  for (const name of present) file.exec(`DELETE FROM ${name}`);
  if (present.length > 0) file.exec('VACUUM');
}

function migrationsOf(file: DatabaseSync): string[] {
  const hasTable = file.prepare("SELECT 1 FROM sqlite_master WHERE name = 'kysely_migration'");
  if (!hasTable.get()) return [];
  const rows = file.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
  return rows.map(({ name }) => String(name));
}
