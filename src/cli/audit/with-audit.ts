import type { Kysely } from 'kysely';
import { openAuditReader } from '../../audit/audit.ts';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { withDatabase } from '../shared/with-database.ts';

/** Opens the tables of the audit log for one command, beside a running gateway or without one. */
export async function withAudit<T>(
  use: (audit: {
    readonly db: Kysely<Tables>;
    readonly backend: Database['backend'];
    readonly deadRecords: () => Promise<ReadonlySet<string>>;
  }) => Promise<T>,
): Promise<T> {
  return withDatabase(async (database) => {
    const { DATA_DIR: dataDir } = readSettings(process.env);
    const reader = await openAuditReader({ database, dataDir });
    try {
      return await use({ ...reader, backend: database.backend });
    } finally {
      await reader.close();
    }
  });
}
