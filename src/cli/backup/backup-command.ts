import { resolve } from 'node:path';
import { Command } from 'commander';
import { hasAuditFile } from '../../audit/record/audit-file.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { hasDatabaseFile } from '../../platform/database/database.ts';
import { HOW_TO_CREATE } from '../../platform/database/schema-state.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { databaseNameOf, printDatabaseName } from '../shared/with-database.ts';
import { databaseKindOf, listFiles } from './backup-manifest.ts';
import { writeBackup } from './write-backup.ts';

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
    .action(backup);

async function backup(dir: string, { key }: { readonly key: boolean }): Promise<void> {
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
