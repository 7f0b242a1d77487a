import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { idsOf, readLinks, readOrigins } from '../chain/chain-reader.ts';
import { encodeSweep } from '../chain/chain-sweep.ts';
import { deleteLinks, findSweptEnds, type SweptEnd } from '../chain/chain-swept-ends.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import { auditIdAt } from '../record/audit-id-time.ts';
import { DAY_MS } from './audit-horizon.ts';

/** Small enough that the embedded database, which runs on the event loop, does not noticeably delay a call. */
const BATCH_SIZE = 500;

export interface SweepDeletionDeps {
  readonly db: Kysely<Tables>;
  readonly chain: Pick<ChainWriter, 'addSweep'>;
  /** The age at which records are deleted; 0 = never. */
  readonly retentionDays: number;
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
    oldestMs: number,
    beforeMs: number,
    ends: readonly SweptEnd[],
  ): Promise<number> => {
    let total = 0;
    for await (const count of deleteRecords(db, oldestMs, beforeMs)) {
      total += count;
      deleted += count;
      if (count > 0) deps.onDeleted?.();
      if (stopped) return total;
      await nextTurn();
    }
    await deleteLinks(db, ends);
    return total;
  };

  return {
    /** Announced in the chain first, so that verification can tell the records were deleted lawfully. */
    run: async (beforeMs, oldestMs) => {
      const ends = await findSweptEnds(db, beforeMs);
      const firstMs = oldestMs ?? beforeMs;
      if (firstMs >= beforeMs && ends.length === 0) return 0;
      const note = { beforeMs, retentionMs: deps.retentionDays * DAY_MS };
      deps.chain.addSweep(encodeSweep(note));
      await deps.beforeDelete?.();
      const count = await deleteAll(firstMs, beforeMs, ends);
      deps.chain.addSweep(encodeSweep({ ...note, deleted: count }));
      return count;
    },
    deleted: () => deleted,
    stop: () => {
      stopped = true;
    },
  };
}

/** No call takes longer than this from its start to its link. */
const LONGEST_CALL_MS = 3_600_000;

/**
 * Deletes the oldest records created before the given time, in batches, and yields how many. It selects them by audit id,
 * which is a ULID: an index by time alone would cost every call. The records of a link are deleted together, because the
 * rest could no longer be compared with it.
 */
async function* deleteRecords(
  db: Kysely<Tables>,
  oldestMs: number,
  beforeMs: number,
): AsyncGenerator<number, void, void> {
  const kept = await findKept(db, beforeMs);
  for (let after = auditIdAt(oldestMs); ; ) {
    const rows = await runQuery(() =>
      db
        .selectFrom('audit_records')
        .select('audit_id')
        .where('audit_id', '>', after)
        .where('audit_id', '<', auditIdAt(beforeMs))
        .orderBy('audit_id')
        .limit(BATCH_SIZE)
        .execute(),
    );
    const ids = rows.map((row) => row.audit_id);
    yield await deleteByIds(
      db,
      ids.filter((id) => !kept.has(id)),
    );
    const last = ids.at(-1);
    if (last === undefined || ids.length < BATCH_SIZE) return;
    after = last;
  }
}

/** Records created before the given time whose link has newer ones, too. */
async function findKept(db: Kysely<Tables>, beforeMs: number): Promise<ReadonlySet<string>> {
  const beforeId = auditIdAt(beforeMs);
  const kept = new Set<string>();
  for (const origin of await readOrigins(db)) {
    for await (const links of readLinks(db, origin)) {
      for (const link of links) {
        const ids = idsOf(link);
        const old = ids.filter((id) => id < beforeId);
        if (old.length < ids.length) for (const id of old) kept.add(id);
      }
      if ((links.at(-1)?.made_at_ms ?? 0) >= beforeMs + LONGEST_CALL_MS) break;
      await nextTurn();
    }
  }
  return kept;
}

const deleteByIds = (db: Kysely<Tables>, ids: readonly string[]): Promise<number> =>
  runQuery(async () => {
    if (ids.length === 0) return 0;
    const { numDeletedRows } = await db
      .deleteFrom('audit_records')
      .where('audit_id', 'in', ids)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
