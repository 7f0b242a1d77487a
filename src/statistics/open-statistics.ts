import { join } from 'node:path';
import { AUDIT_FILE_NAME } from '../audit/record/audit-file.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Statistics } from './statistics.ts';
import { startRollUp } from './threads/roll-up.ts';
import type { ThreadSource } from './threads/thread-database.ts';
import { createThreadedReader } from './threads/threaded-reader.ts';
import type { RecentCounter } from './writing/recent-records.ts';

const READ_BOUNDS = { maxWaiting: 32, timeoutMs: 10_000, idleMs: 60_000 };

export interface StatisticsDeps {
  /** If unset, `audit.db` in `dataDir` is used, which must have been opened. */
  readonly databaseUrl?: Secret | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  /** Grows with every audit record that this gateway commits. */
  readonly recordCount: () => number;
  /** Embedded, counts the records that this gateway commits; without it, they are read. */
  readonly recent?: Pick<RecentCounter, 'take'>;
  /** Called when records could not be counted, or old rows not deleted. It is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Opens the statistics, which are counted and read on threads of their own. */
export function openStatistics(deps: StatisticsDeps): Statistics {
  const { databaseUrl, dataDir, recordCount, recent } = deps;
  const source: ThreadSource = databaseUrl
    ? { backend: 'postgres', url: databaseUrl.reveal() }
    : { backend: 'embedded', path: join(dataDir, AUDIT_FILE_NAME) };
  // On PostgreSQL, records of other gateways and those from the outbox wait too.
  const known = databaseUrl ? () => Number.NaN : recordCount;
  const rollUp = startRollUp({
    ...deps,
    source,
    recordCount: known,
    takeRecent: () => (databaseUrl ? undefined : recent?.take()),
  });
  const reader = createThreadedReader({ ...deps, ...READ_BOUNDS, source });
  return {
    ...reader,
    flush: rollUp.flush,
    close: async () => {
      await rollUp.close();
      await reader.close();
    },
  };
}
