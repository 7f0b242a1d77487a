import { setTimeout as sleep } from 'node:timers/promises';
import { type Audit, openAudit } from '../audit/audit.ts';
import { hasAuditFile } from '../audit/record/audit-file.ts';
import { lockDataDir, workerDirs } from '../platform/database/data-dir.ts';
import type { Database } from '../platform/database/database.ts';
import { openDiskReserve } from '../platform/database/disk-reserve.ts';
import { readReplicaId, removeReplica } from '../platform/database/replica-registry.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { createClosingStack } from '../platform/kernel/closing-stack.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { GatewayContext } from './options.ts';

const PAUSE_MS = 100;

/**
 * Ships, in the background, the records that starts with another WORKERS left in this DATA_DIR, one directory after the
 * other. Of several workers, the first one does it.
 */
export function createLeftOverShipping(
  context: GatewayContext,
  database: Database,
): Closeable & { start(): void } {
  const { logger } = context;
  const closing = new AbortController();
  const isShipping = database.backend === 'postgres' && (context.worker?.number ?? 1) === 1;
  let underWay: Promise<void> | undefined;

  async function shipAll(): Promise<void> {
    for (const dir of leftOverDirs(context)) {
      if (closing.signal.aborted) return;
      await shipLeftOver(dir, { ...context, database }, closing.signal).catch((err: unknown) =>
        logger.warn({ err, dir }, 'audit records that an earlier start left cannot be shipped'),
      );
    }
  }

  return {
    start: () => {
      if (isShipping) underWay = shipAll();
    },
    close: async () => {
      closing.abort();
      await underWay;
    },
  };
}

/** The directories with an audit log that no process of this start uses. */
function leftOverDirs({ settings, worker }: GatewayContext): readonly string[] {
  const sharedDir = worker?.sharedDir ?? settings.DATA_DIR;
  const inUse = worker?.total ?? 0;
  const ofWorkers = [...workerDirs(sharedDir)].flatMap(([number, dir]) =>
    number > inUse ? [dir] : [],
  );
  return [...(worker ? [sharedDir] : []), ...ofWorkers].filter(hasAuditFile);
}

/** Ships what waits in the DATA_DIR of a gateway that does not run. Rejects with StartupError if one uses it. */
async function shipLeftOver(
  dir: string,
  context: Pick<GatewayContext, 'settings' | 'logger' | 'clock' | 'worker'> & {
    readonly database: Database;
  },
  closing: AbortSignal,
): Promise<void> {
  const { settings, logger } = context;
  const parts = createClosingStack();
  try {
    // The supervisor has locked the directory of all workers.
    if (dir !== context.worker?.sharedDir) parts.add(lockDataDir(dir));
    const audit: Audit = parts.add(
      await openAudit({
        ...context,
        dataDir: dir,
        fsync: settings.AUDIT_FSYNC,
        retentionDays: 0,
        maxOutboxRecords: settings.AUDIT_OUTBOX_MAX_RECORDS,
        disk: parts.add(openDiskReserve({ dataDir: dir, floorBytes: 0 })),
        onError: createOutageLog(logger, 'audit records of an earlier start wait for PostgreSQL'),
      }),
    );
    const waiting = (): number => audit.ledger.stats().outbox;
    const records = waiting();
    while (waiting() > 0 && !closing.aborted) await sleep(PAUSE_MS);
    const replicaId = readReplicaId(dir);
    if (waiting() === 0 && replicaId !== undefined)
      await removeReplica(context.database.db, replicaId);
    const shipped = records - waiting();
    if (shipped > 0)
      logger.info({ dir, records: shipped }, 'audit records of an earlier start shipped');
  } finally {
    await parts.close();
  }
}
