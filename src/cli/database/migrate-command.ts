import { Command } from 'commander';
import { openAuditFile } from '../../audit/record/audit-file.ts';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { openDatabase } from '../../platform/database/database.ts';
import type { JsonOption } from '../shared/options.ts';
import { count } from '../shared/output.ts';
import { databaseNameOf, printDatabaseName } from '../shared/with-database.ts';

export const migrateCommand = (): Command =>
  new Command('migrate')
    .description(
      'Create the database, or update its tables for this version, as a start does. A gateway may be running.',
    )
    .option('--json', 'print the names of the migrations that ran as JSON')
    .addHelpText('after', '\nExample: DATA_DIR=/var/lib/tool-gateway tool-gateway migrate')
    .action(migrate);

async function migrate({ json }: JsonOption): Promise<void> {
  const settings = readSettings(process.env);
  printDatabaseName(databaseNameOf(settings));
  const database = openDatabase({
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
  });
  const migrations = await migrateAll(database, settings.DATA_DIR).finally(database.close);
  process.stdout.write(json ? `${JSON.stringify({ migrations })}\n` : describe(migrations));
}

/** On PostgreSQL, the audit records are in the same database; each gateway migrates its own outbox when it starts. */
async function migrateAll(database: Database, dataDir: string): Promise<readonly string[]> {
  const migrations = await database.migrate();
  if (database.backend === 'postgres') return migrations;
  const file = await openAuditFile({ dataDir, fsync: false });
  await file.close();
  return [...migrations, ...file.migrations].sort();
}

const describe = (migrations: readonly string[]): string =>
  migrations.length === 0
    ? 'The database is up to date.\n'
    : `Ran ${count(migrations.length, 'migration')}: ${migrations.join(', ')}.\n`;
