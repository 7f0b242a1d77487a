import { resolve } from 'node:path';
import { Command } from 'commander';
import { readSettings } from '../../platform/config/settings.ts';
import { KEY_FILE_NAME } from '../../platform/vault/key-file.ts';
import { databaseNameOf, tellDatabase } from '../shared/with-database.ts';
import { databaseKindOf, listFiles } from './backup-manifest.ts';
import { restoreBackup } from './restore-backup.ts';

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
  tellDatabase(databaseNameOf(settings));
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
