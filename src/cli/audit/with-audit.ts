import { type AuditReader, openAuditReader } from '../../audit/audit.ts';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { withDatabase } from '../shared/with-database.ts';

/** What a command works on: the audit log, and the database of tenants and keys. */
type OpenAudit = Omit<AuditReader, 'close'> & { readonly database: Database };

/** Opens the audit log for one command. A gateway may be running at the same time. */
export async function withAudit<T>(use: (audit: OpenAudit) => Promise<T>): Promise<T> {
  return withDatabase('read', async (database) => {
    const { DATA_DIR: dataDir } = readSettings(process.env);
    const reader = await openAuditReader({ database, dataDir });
    try {
      return await use({ ...reader, database });
    } finally {
      await reader.close();
    }
  });
}
