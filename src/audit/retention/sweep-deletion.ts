import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { encodeSweep, type SweptEnd } from '../chain/chain-sweep.ts';
import { deleteLinks, findSweptEnds } from '../chain/chain-swept-ends.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import { auditIdAt } from '../record/audit-id-time.ts';

/** Small enough that the embedded database, which runs on the event loop, does not noticeably delay a call. */
const BATCH_SIZE = 500;

export interface SweepDeletionDeps {
  readonly db: Kysely<Tables>;
  readonly chain: Pick<ChainWriter, 'addSweep'>;
  /** Awaited after a sweep is announced in the chain and before it deletes anything. */
  readonly beforeDelete?: (() => Promise<void>) | undefined;
  /** Called after each batch of deletions. */
  readonly onDeleted?: (() => void) | undefined;
}

/** Deletes records and links, and documents it in the chain. */
export interface SweepDeletion {
  /** Deletes records created before the given time. Returns how many there were. */
  run(beforeMs: number, oldestMs: number | null): Promise<number>;
  /** Records deleted since start. */
  deleted(): number;
  /** Ends a deletion in progress after its current batch. */
  stop(): void;
}

export function createSweepDeletion(deps: SweepDeletionDeps): SweepDeletion {
  const { db } = deps;
  let deleted = 0;
  let stopped = false;

  const deleteAll = async (
    beforeMs: number,
    links: Readonly<Record<string, SweptEnd>>,
  ): Promise<number> => {
    let total = 0;
    for (let count = BATCH_SIZE; count === BATCH_SIZE && !stopped; await nextTurn()) {
      count = await deleteBatch(db, beforeMs);
      total += count;
      deleted += count;
      if (count > 0) deps.onDeleted?.();
    }
    if (!stopped) await deleteLinks(db, links);
    return total;
  };

  return {
    /** Announced in the chain first, so that verification can tell the records were deleted lawfully. */
    run: async (beforeMs, oldestMs) => {
      const links = await findSweptEnds(db, beforeMs);
      const hasRecords = oldestMs !== null && oldestMs < beforeMs;
      if (!hasRecords && Object.keys(links).length === 0) return 0;
      deps.chain.addSweep(encodeSweep({ beforeMs, links }));
      await deps.beforeDelete?.();
      const count = await deleteAll(beforeMs, links);
      deps.chain.addSweep(encodeSweep({ beforeMs, deleted: count }));
      return count;
    },
    deleted: () => deleted,
    stop: () => {
      stopped = true;
    },
  };
}

/**
 * Deletes the oldest records created before the given time, and returns how many. It selects them by audit id, which is
 * a ULID: an index by time alone would cost every call.
 */
function deleteBatch(db: Kysely<Tables>, beforeMs: number): Promise<number> {
  return runQuery(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('audit_records')
      .where('audit_id', 'in', (query) =>
        query
          .selectFrom('audit_records')
          .select('audit_id')
          .where('audit_id', '<', auditIdAt(beforeMs))
          .orderBy('audit_id')
          .limit(BATCH_SIZE),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
