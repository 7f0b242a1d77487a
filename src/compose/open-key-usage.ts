import type { KeyUsageSource } from '../access/keys/key-hygiene.ts';
import { hasAuditFile, openExistingAuditFile } from '../audit/record/audit-file.ts';
import type { Database } from '../platform/database/database.ts';
import type { Closeable } from '../platform/kernel/closing.ts';
import { systemClock } from '../platform/kernel/time.ts';
import { createStatisticsReader } from '../statistics/statistics-reader.ts';

/**
 * Opens the usage of keys for a command. A gateway may be running at the same time. Embedded, it is in the file of the
 * audit records, which the first start creates: before that, no key was used.
 */
export async function openKeyUsage(
  { backend, db }: Database,
  dataDir: string,
): Promise<KeyUsageSource & Closeable> {
  if (backend === 'postgres') {
    return { ...createStatisticsReader({ db, clock: systemClock }), close: async () => {} };
  }
  if (!hasAuditFile(dataDir)) return { keyUsage: async () => [], close: async () => {} };
  const file = await openExistingAuditFile(dataDir);
  return {
    ...createStatisticsReader({ db: file.db, clock: systemClock }),
    close: file.close,
  };
}
