import { type Audit, openAudit } from '../../src/audit/audit.ts';
import type { AuditRecord } from '../../src/audit/record/audit-record.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openTestDatabase, type TestBackend } from './databases.ts';
import { until } from './until.ts';

/** An audit log with its own storage. */
export interface TestAudit {
  readonly audit: Audit;
  readonly database: Database;
  readonly dataDir: string;
  /** Writes records; on PostgreSQL, they are there afterwards. */
  append(records: readonly AuditRecord[]): Promise<void>;
  close(): Promise<void>;
}

export async function openTestAudit(backend: TestBackend): Promise<TestAudit> {
  const place = await backend.makePlace();
  const database = await openTestDatabase(place);
  const audit = await openAudit({
    dataDir: place.dataDir,
    database,
    clock: { now: Date.now },
    fsync: false,
    retentionDays: 0,
    maxOutboxRecords: 1_000_000,
    onError: () => undefined,
  });
  return {
    audit,
    database,
    dataDir: place.dataDir,
    append: async (records) => {
      await Promise.all(records.map((record) => audit.ledger.append(record)));
      await until(() => audit.ledger.stats().outbox === 0);
    },
    close: async () => {
      await audit.close();
      await database.close();
      await place.remove();
    },
  };
}
