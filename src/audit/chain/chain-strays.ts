import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { auditIdAt, auditIdTime } from '../record/audit-id-time.ts';
import type { ChainFindings } from './chain-findings.ts';
import { idsOf, readIds, readLinks, readOrigins, readRecords } from './chain-reader.ts';

/** Records and links are compared by checksums over spans of this length, and one by one only where the sums differ. */
const SPAN_MS = 600_000;
const UNDATED = -1;
/** Bounds the memory of the comparison. Further suspects are not reported. */
const MAX_SUSPECTS = 200_000;
/** How many times the links of newly written records are searched for. */
const MAX_ATTEMPTS = 5;

/** Finds records that no link contains. */
export interface StrayFinder {
  /** Counts the stored records. Call it before the chains are walked, so that each record has its link by then. */
  count(): Promise<void>;
  /** Called with each record that a link contains. */
  linked(auditId: string): void;
  /** Reports the strays. Returns the number of records from before the first chain started. */
  report(findings: ChainFindings): Promise<number>;
}

export interface StrayDeps {
  readonly db: Kysely<Tables>;
  /** When the first chain started. Earlier records are in no chain. */
  readonly startedMs: number;
  /** Pause between two searches for the links of newly written records. */
  readonly settleMs: number;
}

export function createStrayFinder({ db, startedMs, settleMs }: StrayDeps): StrayFinder {
  const sums = new Map<number, number>();
  let unchained = 0;

  /** An id that the gateway did not create has no time, so it never counts as older than the chain. */
  const spanOf = (auditId: string): number | null => {
    const atMs = auditIdTime(auditId);
    if (atMs === null) return UNDATED;
    return atMs < startedMs ? null : Math.floor(atMs / SPAN_MS);
  };

  const tally = (auditId: string, sign: 1 | -1): void => {
    const span = spanOf(auditId);
    if (span === null) unchained += sign;
    else sums.set(span, (sums.get(span) ?? 0) + sign * (1 + crc32(auditId)));
  };

  const suspects = async (): Promise<Set<string>> => {
    const found = new Set<string>();
    for (const [span, sum] of sums) {
      if (sum === 0) continue;
      const [from, to] =
        span === UNDATED
          ? ['', undefined]
          : [auditIdAt(span * SPAN_MS), auditIdAt((span + 1) * SPAN_MS)];
      for await (const ids of readIds(db, from, to)) {
        for (const id of ids) if (found.size < MAX_SUSPECTS && spanOf(id) === span) found.add(id);
      }
    }
    return found;
  };

  return {
    count: async () => {
      for await (const ids of readIds(db, '', undefined)) for (const id of ids) tally(id, 1);
    },
    linked: (auditId) => tally(auditId, -1),
    report: async (findings) => {
      const strays = await suspects();
      const heads = new Map<string, number>();
      for (let attempt = 0; strays.size > 0 && attempt < MAX_ATTEMPTS; attempt++) {
        if (attempt > 0) await sleep(settleMs);
        await dropLinked(db, strays, heads);
      }
      await dropDeleted(db, strays);
      for (const auditId of strays) {
        const text = `The record ${auditId} was inserted: no link contains it.`;
        findings.add({ kind: 'inserted', auditId, text });
      }
      return unchained;
    },
  };
}

/** Removes ids that a link contains. `heads` holds the last sequence number that was read of each chain. */
async function dropLinked(
  db: Kysely<Tables>,
  ids: Set<string>,
  heads: Map<string, number>,
): Promise<void> {
  for (const origin of await readOrigins(db)) {
    for await (const links of readLinks(db, origin, heads.get(origin))) {
      for (const link of links) {
        for (const id of idsOf(link)) ids.delete(id);
        heads.set(origin, link.seq);
      }
    }
  }
}

const RECORDS_AT_ONCE = 500;

/** Removes ids of records that a sweep has deleted meanwhile. */
async function dropDeleted(db: Kysely<Tables>, ids: Set<string>): Promise<void> {
  const all = [...ids];
  for (let i = 0; i < all.length; i += RECORDS_AT_ONCE) {
    const some = all.slice(i, i + RECORDS_AT_ONCE);
    const rows = await readRecords(db, some);
    for (const id of some) if (!rows.has(id)) ids.delete(id);
  }
}
