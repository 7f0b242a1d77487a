import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { readSettings } from '../../platform/config/settings.ts';
import { LOCK_FILE_NAME, lockDataDir } from '../../platform/database/data-dir.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { KEY_FILE_NAME } from '../../platform/vault/key-file.ts';
import { databaseNameOf, printDatabaseName } from '../shared/with-database.ts';
import {
  type BackupFile,
  type BackupManifest,
  databaseKindOf,
  listFiles,
  readManifest,
} from './backup-manifest.ts';
import { describeDiskError } from './disk-error.ts';
import { sealFile } from './seal-file.ts';

export const restoreCommand = (): Command =>
  new Command('restore')
    .description(
      'Copy a backup to DATA_DIR, which must be empty, and compare its checksums. The next start adds the tables of newer versions.',
    )
    .argument('<dir>', 'the directory that tool-gateway backup created')
    .addHelpText(
      'after',
      '\nExample: DATA_DIR=/var/lib/tool-gateway tool-gateway restore /backups/monday',
    )
    .action(restore);

async function restore(dir: string): Promise<void> {
  const settings = readSettings(process.env);
  printDatabaseName(databaseNameOf(settings));
  const { DATA_DIR: dataDir, ENCRYPTION_KEY } = settings;
  const database = databaseKindOf(settings);
  const { files, createdAt, version } = await restoreBackup({ from: dir, dataDir, database });
  process.stdout.write(
    `Restored ${listFiles(files)} to ${resolve(dataDir)}, as of ${createdAt} (version ${version}).\n`,
  );
  const hasKey = ENCRYPTION_KEY || files.some(({ name }) => name === KEY_FILE_NAME);
  if (database === 'embedded' && !hasKey) {
    process.stderr.write(
      `The backup has no ${KEY_FILE_NAME}. Copy it to ${resolve(dataDir)} before the start, which otherwise creates another one that decrypts no stored credential.\n`,
    );
  }
}

interface RestoreBackupOptions {
  /** The directory of the backup. */
  readonly from: string;
  readonly dataDir: string;
  /** What the gateway with these settings stores its data in. */
  readonly database: BackupManifest['database'];
}

/** Where the files are until each of them is complete and has its checksum. */
const STAGING = 'restore.partial';

/**
 * Copies the files of a backup to an empty DATA_DIR, under the lock of a gateway. Throws StartupError, and then leaves
 * nothing behind but the lock.
 */
export async function restoreBackup(options: RestoreBackupOptions): Promise<BackupManifest> {
  const { database, dataDir } = options;
  const from = resolve(options.from);
  const manifest = readManifest(from);
  assertSameDatabase(manifest, database);
  // A lock is only created in a directory that is going to be used.
  if (!existsSync(join(dataDir, LOCK_FILE_NAME))) assertEmpty(dataDir);
  const lock = lockDataDir(dataDir);
  try {
    assertEmpty(dataDir);
    await copyAll(manifest.files, from, dataDir);
    return manifest;
  } catch (error) {
    throw describeDiskError(error, `The backup cannot be restored to ${dataDir}`);
  } finally {
    await lock.close();
  }
}

/** Files of the other kind would never be read. */
function assertSameDatabase({ database }: BackupManifest, configured: string): void {
  if (database === configured) return;
  throw new StartupError(
    database === 'embedded'
      ? 'This is a backup of a gateway with the embedded database. Unset DATABASE_URL.'
      : 'This is a backup of a gateway with PostgreSQL. Restore its database with pg_restore, and set DATABASE_URL.',
  );
}

function assertEmpty(dataDir: string): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  // The lock has a journal while it is held, and the root of a disk may have lost+found.
  const foreign = names.filter((name) => !name.startsWith(LOCK_FILE_NAME) && name !== 'lost+found');
  if (foreign.length === 0) return;
  throw new StartupError(
    `The data directory ${resolve(dataDir)} is not empty. Move its contents away, or set DATA_DIR to a new directory.`,
  );
}

async function copyAll(files: readonly BackupFile[], from: string, dataDir: string): Promise<void> {
  const staging = join(dataDir, STAGING);
  await mkdir(staging, { mode: 0o700 });
  try {
    for (const file of files) await copyChecked(file, from, staging);
    for (const { name } of files) await rename(join(staging, name), join(dataDir, name));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function copyChecked(file: BackupFile, from: string, to: string): Promise<void> {
  const [source, target] = [join(from, file.name), join(to, file.name)];
  const found = await stat(source).catch(() => undefined);
  // Before it is copied: another file could fill the disk.
  if (!found?.isFile() || found.size !== file.bytes) throw damaged(source);
  await copyFile(source, target);
  const { sha256 } = await sealFile(target);
  if (sha256 !== file.sha256) throw damaged(source);
}

const damaged = (path: string): StartupError =>
  new StartupError(
    `${path} is not the file that the manifest names: it is missing, damaged or was changed. Use another backup.`,
  );
