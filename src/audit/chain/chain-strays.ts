import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { auditIdAt, auditIdTime } from '../record/audit-id-time.ts';
import type { ChainFindings } from './chain-findings.ts';
import { idsOf, readIds, readLinks, readOrigins, readRecords } from './chain-reader.ts';

/** Records are compared with what the links name by sums over such spans; only where they differ, one by one. */
const SPAN_MS = 600_000;
const UNDATED = -1;
/** Bounds the memory that comparing takes; beyond it, some are not listed. */
const MAX_SUSPECTS = 200_000;
/** How often the links of records that have just been written are looked for. */
const MAX_LOOKS = 5;

/** Finds records that no link names. */
export interface StrayFinder {
  /** Counts the records that there are; before the chains are walked, so that each has its link by then. */
  count(): Promise<void>;
  /** Told of each record that a link names. */
  named(auditId: string): void;
  /** Reports the strays; returns how many records are from before the chain began. */
  report(findings: ChainFindings): Promise<number>;
}

export interface StrayDeps {
  readonly db: Kysely<Tables>;
  /** When the first chain began: records from before it are in none. */
  readonly beganMs: number;
  /** Pause between two looks for the links of new records. */
  readonly settleMs: number;
}

export function createStrayFinder({ db, beganMs, settleMs }: StrayDeps): StrayFinder {
  const sums = new Map<number, number>();
  let unchained = 0;

  /** An id that the gateway did not make has no time, and is never from before the chain. */
  const spanOf = (auditId: string): number | null => {
    const atMs = auditIdTime(auditId);
    if (atMs === null) return UNDATED;
    return atMs < beganMs ? null : Math.floor(atMs / SPAN_MS);
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
    named: (auditId) => tally(auditId, -1),
    report: async (findings) => {
      const strays = await suspects();
      const heads = new Map<string, number>();
      for (let look = 0; strays.size > 0 && look < MAX_LOOKS; look++) {
        if (look > 0) await sleep(settleMs);
        await dropNamed(db, strays, heads);
      }
      await dropGone(db, strays);
      for (const auditId of strays) {
        const text = `The record ${auditId} was inserted: no link names it.`;
        findings.add({ kind: 'inserted', auditId, text });
      }
      return unchained;
    },
  };
}

/** Takes out of the ids what a link names; `heads` says how far the chains have been read. */
async function dropNamed(
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

const AT_ONCE = 500;

/** Takes out of the ids what a sweep has deleted meanwhile. */
async function dropGone(db: Kysely<Tables>, ids: Set<string>): Promise<void> {
  const all = [...ids];
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const some = all.slice(i, i + AT_ONCE);
    const rows = await readRecords(db, some);
    for (const id of some) if (!rows.has(id)) ids.delete(id);
  }
}
