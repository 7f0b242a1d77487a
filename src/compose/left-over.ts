import { hasAuditFile } from '../audit/record/audit-file.ts';
import { shipDirectory } from '../audit/ship-audit.ts';
import { lockDataDir, workerDirs } from '../platform/database/data-dir.ts';
import type { Database } from '../platform/database/database.ts';
import type { Closeable } from '../platform/kernel/closing.ts';
import type { GatewayContext } from './options.ts';

/**
 * Ships, in the background, the records that starts with a different number of WORKERS left in this DATA_DIR, one directory
 * after the other. Of several workers, the first one does it. What PostgreSQL does not accept now waits for the next start.
 */
export function createLeftOverShipping(
  context: GatewayContext,
  database: Database,
): Closeable & { start(): void } {
  const { logger, worker } = context;
  const closing = new AbortController();
  const isShipping = database.backend === 'postgres' && (worker?.number ?? 1) === 1;
  let underWay: Promise<void> | undefined;

  async function ship(dir: string): Promise<void> {
    // The supervisor has locked the directory of all workers.
    const lock = dir === worker?.sharedDir ? undefined : lockDataDir(dir);
    try {
      const { records } = await shipDirectory(dir, database, closing.signal);
      if (records > 0) logger.info({ dir, records }, 'audit records of an earlier start shipped');
    } finally {
      await lock?.close();
    }
  }

  async function shipAll(): Promise<void> {
    for (const dir of leftOverDirs(context)) {
      if (closing.signal.aborted) return;
      await ship(dir).catch((err: unknown) =>
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
