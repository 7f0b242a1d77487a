import { setTimeout as sleep } from 'node:timers/promises';
import { lockDataDir } from '../platform/database/data-dir.ts';
import { type Database, hasDatabaseFile } from '../platform/database/database.ts';
import { readReplicaId, removeReplica } from '../platform/database/replica-registry.ts';
import { StartupError } from '../platform/kernel/error.ts';
import { systemClock } from '../platform/kernel/time.ts';
import { openAudit } from './audit.ts';
import { hasAuditFile } from './record/audit-file.ts';

const PAUSE_MS = 20;

/** What `audit ship` did. */
export interface ShippedDirectory {
  readonly records: number;
  /** All that the directory contains, also from before. */
  readonly deadLetters: number;
  /** The replica that no longer counts as lost, if the directory names one. */
  readonly replicaId: string | undefined;
}

/**
 * Ships what waits in the DATA_DIR of a lost gateway, as the next gateway there would. Throws StartupError if a
 * gateway uses the directory, and for a directory or records that cannot be shipped.
 */
export async function shipAudit(dataDir: string, database: Database): Promise<ShippedDirectory> {
  assertOutbox(dataDir);
  const lock = lockDataDir(dataDir);
  try {
    return await shipDirectory(dataDir, database);
  } finally {
    await lock.close();
  }
}

/** An embedded gateway would lose its audit log, which is in the same file as the outbox of others. */
function assertOutbox(dataDir: string): void {
  if (!hasAuditFile(dataDir)) {
    throw new StartupError(
      `${dataDir} contains no audit.db. Give the DATA_DIR of the lost gateway.`,
    );
  }
  if (hasDatabaseFile(dataDir) && readReplicaId(dataDir) === undefined) {
    throw new StartupError(
      `${dataDir} belongs to a gateway without DATABASE_URL: its audit.db is its audit log, and nothing waits in it.`,
    );
  }
}

/**
 * Ships what waits in a directory that its caller has locked, also what a gateway without DATABASE_URL wrote, and removes its
 * replica. Throws StartupError for records that cannot be shipped, among them those that are left once `closing` is aborted.
 */
export async function shipDirectory(
  dataDir: string,
  database: Database,
  closing?: AbortSignal,
): Promise<ShippedDirectory> {
  let failure: unknown;
  const audit = await openAudit({
    dataDir,
    database,
    clock: systemClock,
    fsync: false,
    retentionDays: 0,
    maxOutboxRecords: Number.POSITIVE_INFINITY,
    onError: (error) => {
      failure = error;
    },
  });
  const { stats } = audit.ledger;
  const before = stats();
  while (stats().outbox > 0 && failure === undefined && !closing?.aborted) await sleep(PAUSE_MS);
  await audit.close();
  const { outbox, deadLetters } = stats();
  if (outbox > 0) {
    const reason = failure instanceof Error ? failure.message : 'it did not respond';
    throw new StartupError(
      `PostgreSQL did not accept ${outbox} of ${before.outbox} records (${reason}). They still wait in ${dataDir}; run the command again.`,
      { cause: failure },
    );
  }
  const replicaId = readReplicaId(dataDir);
  if (replicaId !== undefined) await removeReplica(database.db, replicaId);
  return { records: before.outbox - (deadLetters - before.deadLetters), deadLetters, replicaId };
}
