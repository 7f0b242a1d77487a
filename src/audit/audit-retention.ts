import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../database/database-error.ts';
import type { Tables } from '../database/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Closeable } from '../kernel/closeable.ts';

const DAY_MS = 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
/** Few enough that the embedded database, which works within the event loop, delays no call noticeably. */
const BATCH = 500;

export interface AuditRetentionDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Age at which records are deleted; 0 = never. */
  readonly retentionDays: number;
  /** Called after each batch of deletions. */
  readonly onDeleted?: (() => void) | undefined;
  readonly onFault: (error: unknown) => void;
}

export interface AuditRetention extends Closeable {
  /** Deletes what is too old now; also done at the start and every hour. Returns how many records that were. */
  sweep(): Promise<number>;
}

export function createAuditRetention(deps: AuditRetentionDeps): AuditRetention {
  let closed = false;
  const sweep = async (): Promise<number> => {
    const beforeMs = deps.clock.now() - deps.retentionDays * DAY_MS;
    let deleted = 0;
    while (!closed && deps.retentionDays > 0) {
      const count = await deleteBatch(deps.db, beforeMs);
      deleted += count;
      if (count > 0) deps.onDeleted?.();
      if (count < BATCH) break;
      await nextTurn();
    }
    return deleted;
  };
  let underWay = Promise.resolve();
  const sweepQuietly = (): void => {
    underWay = sweep().then(() => undefined, deps.onFault);
  };
  const first = setImmediate(sweepQuietly);
  const timer = setInterval(sweepQuietly, SWEEP_INTERVAL_MS).unref();
  return {
    sweep,
    close: async () => {
      closed = true;
      clearImmediate(first);
      clearInterval(timer);
      await underWay;
    },
  };
}

/**
 * Deletes those of the oldest records that are older than the moment given; returns their number. "Oldest" is by audit
 * id, a ULID, so that no index by time alone is needed, which every call would have to pay for.
 */
function deleteBatch(db: Kysely<Tables>, beforeMs: number): Promise<number> {
  return runQuery(async () => {
    const oldest = await db
      .selectFrom('audit_records')
      .select(['audit_id', 'timestamp_ms'])
      .orderBy('audit_id')
      .limit(BATCH)
      .execute();
    const last = oldest.findLast((row) => row.timestamp_ms < beforeMs);
    if (!last) return 0;
    const { numDeletedRows } = await db
      .deleteFrom('audit_records')
      .where('audit_id', '<=', last.audit_id)
      .where('timestamp_ms', '<', beforeMs)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
