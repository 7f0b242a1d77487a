import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { auditIdAt } from '../record/audit-id-time.ts';
import { idsOf, readLinks, readOrigins } from './chain-reader.ts';

/** Chains that ended and of which something is kept. */
const MAX_ENDED_CHAINS = 1000;

/** What a sweep may delete of a chain. */
export interface SweptEnd {
  readonly origin: string;
  /** Links before this one are deleted, except the start of the chain. Undefined for a whole chain. */
  readonly seq: number | undefined;
}

/**
 * Per chain, the last anchored link that becomes obsolete when all records from before that time are deleted. It stays: an
 * anchor proves it, and its age explains that those before it were deleted. Of the oldest chains nothing stays.
 */
export async function findSweptEnds(db: Kysely<Tables>, beforeMs: number): Promise<SweptEnd[]> {
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

/** Small enough that the embedded database, which runs on the event loop, does not noticeably delay a call. */
const LINKS_AT_ONCE = 500;

export async function deleteLinks(db: Kysely<Tables>, ends: readonly SweptEnd[]): Promise<void> {
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
            return swept.orderBy('seq').limit(LINKS_AT_ONCE);
          })
          .executeTakeFirst(),
      );
      if (numDeletedRows < BigInt(LINKS_AT_ONCE)) break;
      await nextTurn();
    }
  }
}
