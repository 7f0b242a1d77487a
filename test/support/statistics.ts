import { type Audit, openAudit } from '../../src/audit/audit.ts';
import type { AuditRecord } from '../../src/audit/record/audit-record.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openStatistics, type Statistics } from '../../src/statistics/open-statistics.ts';
import { openTestDatabase, type TestPlace } from './databases.ts';
import { until } from './until.ts';

/** An audit log with statistics. */
export interface CountedAudit {
  readonly audit: Audit;
  readonly statistics: Statistics;
  readonly database: Database;
  readonly errors: readonly unknown[];
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Resolves once every record is shipped, and counted in the database. */
  counted(): Promise<void>;
  close(): Promise<void>;
}

export async function openCountedAudit(place: TestPlace, nowMs: number): Promise<CountedAudit> {
  const clock = { now: () => nowMs };
  const database = await openTestDatabase(place);
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const statistics = openStatistics({ ...place, clock, onError });
  const audit = await openAudit({
    dataDir: place.dataDir,
    database,
    clock,
    fsync: false,
    retentionDays: 0,
    maxOutboxRecords: 1_000_000,
    onCommitted: statistics.count,
    onError,
  });
  return {
    audit,
    statistics,
    database,
    errors,
    append: async (records) => {
      await Promise.all(records.map((record) => audit.ledger.append(record)));
    },
    counted: async () => {
      await until(() => audit.ledger.stats().outbox === 0);
      await statistics.flush();
    },
    close: async () => {
      await audit.close();
      await statistics.close();
      await database.close();
    },
  };
}
