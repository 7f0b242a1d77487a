import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { idsOf, readIds, readLinks, readOrigins } from '../chain/chain-reader.ts';
import { encodeSweep } from '../chain/chain-trust.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import { auditIdAt } from '../record/audit-record.ts';
import { DAY_MS } from './audit-sweeps.ts';

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
export function createSweepDeletion(deps: SweepDeletionDeps) {
  const { db, chain } = deps;
  let deleted = 0;
  let stopped = false;

  const deleteAll = async (
    oldestMs: number,
    beforeMs: number,
    ends: readonly SweptEnd[],
  ): Promise<number> => {
    const before = deleted;
    const kept = await findKept(db, beforeMs);
    // By audit id, which is a ULID: an index by time alone would cost every call.
    for await (const ids of readIds(db, auditIdAt(oldestMs), auditIdAt(beforeMs), BATCH_SIZE)) {
      const count = await deleteByIds(
        db,
        ids.filter((id) => !kept.has(id)),
      );
      deleted += count;
      if (count > 0) deps.onDeleted?.();
      if (stopped) return deleted - before;
      await nextTurn();
    }
    await deleteLinks(db, ends);
    return deleted - before;
  };

  return {
    /**
     * Deletes records created before the given time. Returns how many there were. Announced in the chain first, so that
     * verification can tell the records were deleted lawfully.
     */
    run: async (beforeMs: number, oldestMs: number | null): Promise<number> => {
      const ends = await findSweptEnds(db, beforeMs);
      const firstMs = oldestMs ?? beforeMs;
      if (firstMs >= beforeMs && ends.length === 0) return 0;
      const note = { beforeMs, retentionMs: deps.retentionDays * DAY_MS };
      chain.addSweep(encodeSweep(note));
      await deps.beforeDelete?.();
      const count = await deleteAll(firstMs, beforeMs, ends);
      chain.addSweep(encodeSweep({ ...note, deleted: count }));
      return count;
    },
    /** Records deleted since start. */
    deleted: (): number => deleted,
    /** Ends a deletion in progress after its current batch. */
    stop: (): void => {
      stopped = true;
    },
  };
}

/** No call takes longer than this from its start to its link. */
const LONGEST_CALL_MS = 3_600_000;

/**
 * Records created before the given time whose link has newer ones, too. The records of a link are deleted together, because
 * the rest could no longer be compared with it.
 */
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

/** Chains that ended and of which something is kept. */
const MAX_ENDED_CHAINS = 1000;

/** What a sweep may delete of a chain. */
interface SweptEnd {
  readonly origin: string;
  /** Links before this one are deleted, except the start of the chain. Undefined for a whole chain. */
  readonly seq: number | undefined;
}

/**
 * Per chain, the last anchored link that becomes obsolete when all records from before that time are deleted. It stays: an
 * anchor proves it, and its age explains that those before it were deleted. Of the oldest chains nothing stays.
 */
async function findSweptEnds(db: Kysely<Tables>, beforeMs: number): Promise<SweptEnd[]> {
  const ends: SweptEnd[] = [];
  const origins = await readOrigins(db);
  for (const [index, origin] of origins.entries()) {
    const { first, last, isEnded } = await readObsolete(db, origin, beforeMs);
    if (isEnded && index < origins.length - MAX_ENDED_CHAINS) ends.push({ origin, seq: undefined });
    else if (last > first) ends.push({ origin, seq: last });
  }
  return ends;
}

/** The first stored link after the start of a chain, and the last anchored one that is obsolete. */
async function readObsolete(db: Kysely<Tables>, origin: string, beforeMs: number) {
  const beforeId = auditIdAt(beforeMs);
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for await (const links of readLinks(db, origin)) {
    for (const link of links) {
      const isObsolete = link.made_at_ms < beforeMs && idsOf(link).every((id) => id < beforeId);
      if (!isObsolete) return { first, last, isEnded: false };
      if (link.kind !== 'start') first = Math.min(first, link.seq);
      if (link.kind !== 'records') last = link.seq;
    }
    await nextTurn();
  }
  return { first, last, isEnded: true };
}

async function deleteLinks(db: Kysely<Tables>, ends: readonly SweptEnd[]): Promise<void> {
  for (const { origin, seq } of ends) {
    for (;;) {
      const { numDeletedRows } = await runQuery(() =>
        db
          .deleteFrom('audit_links')
          .where('origin', '=', origin)
          .where('seq', 'in', (query) => {
            const all = query.selectFrom('audit_links').select('seq').where('origin', '=', origin);
            const swept =
              seq === undefined ? all : all.where('seq', '<', seq).where('kind', '<>', 'start');
            return swept.orderBy('seq').limit(BATCH_SIZE);
          })
          .executeTakeFirst(),
      );
      if (numDeletedRows < BigInt(BATCH_SIZE)) break;
      await nextTurn();
    }
  }
}
