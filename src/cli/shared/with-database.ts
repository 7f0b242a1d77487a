import { readSettings } from '../../platform/config/settings.ts';
import { prepareDataDir } from '../../platform/database/data-dir.ts';
import { type Database, openDatabase } from '../../platform/database/database.ts';

/** Opens the configured database for one command. A gateway may be running at the same time. */
export async function withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env);
  prepareDataDir(settings.DATA_DIR);
  const database = openDatabase({
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
  });
  try {
    await database.migrate();
    return await use(database);
  } finally {
    await database.close();
  }
}
