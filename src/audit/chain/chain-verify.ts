import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { auditIdAt, auditIdTime } from '../record/audit-record.ts';
import { ChainFindings, type OriginSummary, walkChain } from './chain-check.ts';
import type { LinkName } from './chain-link.ts';
import { idsOf, readIds, readLinks, readOrigins, readRecords } from './chain-reader.ts';
import { readTrust } from './chain-trust.ts';

interface VerifyOptions {
  readonly db: Kysely<Tables>;
  /** Checks only the chain of this origin and those of the anchors, and does not search for records without a link. */
  readonly origin?: string | undefined;
  /** Anchors stored outside the database. */
  readonly anchors?: readonly LinkName[];
  /**
   * Records from before this time need no link, because not every gateway had a chain yet. Unset, it is the time when the
   * first chain started, or no record if there are anchors.
   */
  readonly beganMs?: number | undefined;
  /** Returns which of the ids belong to dead letters. */
  readonly deadLetters?: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onProgress?: (links: number, records: number) => void;
  /** Pause between two searches for the links of newly written records. */
  readonly settleMs: number;
}

export type VerifyReport = Awaited<ReturnType<typeof verifyChain>>;

/**
 * Reads the audit log once, in bounded memory, and compares it with its hash chains. A gateway may be running meanwhile.
 * Rejects with GatewayError `unavailable`.
 */
export async function verifyChain(options: VerifyOptions) {
  const { db, origin: only, anchors = [] } = options;
  const findings = new ChainFindings();
  const origins = await readOrigins(db);
  const trust = await readTrust(db, origins, anchors);
  const startedMs = anchors.length > 0 ? 0 : await readStart(db, origins);
  const strays = createStrayFinder(db, Math.max(startedMs, options.beganMs ?? 0));
  if (only === undefined) await strays.count();

  const summaries: OriginSummary[] = [];
  let links = 0;
  let records = 0;
  // A sweep in another chain counts only if that chain is intact.
  const isChecked = (origin: string): boolean =>
    only === undefined || origin === only || anchors.some((anchor) => anchor.origin === origin);
  for (const origin of origins.filter(isChecked)) {
    const summary = await walkChain(
      {
        db,
        findings,
        trust,
        deadLetters: options.deadLetters ?? (async () => new Set()),
        onLinked: strays.linked,
        onProgress: (more, moreRecords) =>
          options.onProgress?.(links + more, records + moreRecords),
      },
      origin,
    );
    if (!summary) continue;
    summaries.push(summary);
    links += summary.links;
    records += summary.records;
  }
  // Chains with an anchor but without links. Older versions may have swept the whole chain.
  for (const anchor of trust.anchors) {
    const { origin, seq } = anchor;
    if (origins.includes(origin) || trust.isLost(anchor, false)) continue;
    if (await trust.sweepsCover((swept) => (swept.links.get(origin) ?? 0) >= seq)) continue;
    const text = `There is an anchor for link ${seq}, but no link: the whole chain was removed.`;
    findings.add({ kind: 'truncated', origin, seq, text });
  }
  const unchainedRecords = only === undefined ? await strays.report(findings, options.settleMs) : 0;
  const { listed, counts, firstRecord } = findings;
  return {
    /** There are no findings. */
    intact: listed.length === 0,
    origins: summaries,
    /** The oldest record concerned; null if no finding has one. */
    firstRecord,
    /** Records from before the chain started, which cannot be checked. */
    unchainedRecords,
    counts,
    /** The first 100 findings. */
    findings: listed,
  };
}

/** When the first chain started; 0 once its first links have been swept, because all older records went with them. */
async function readStart(db: Kysely<Tables>, origins: readonly string[]): Promise<number> {
  const starts = await Promise.all(
    origins.map(async (origin) => {
      const [first, second] = await runQuery(() =>
        db
          .selectFrom('audit_links')
          .select(['seq', 'detail', 'made_at_ms'])
          .where('origin', '=', origin)
          .orderBy('seq')
          .limit(2)
          .execute(),
      );
      if (!first) return [];
      const isWhole =
        first.seq === 0 ? first.detail === '' && (second?.seq ?? 1) === 1 : first.seq === 1;
      return [isWhole ? first.made_at_ms : 0];
    }),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...starts.flat());
}

/** Records and links are compared by checksums over spans of this length, and one by one only where the sums differ. */
const SPAN_MS = 600_000;
const UNDATED = -1;
/** Bounds the memory of the comparison. Further suspects are not reported. */
const MAX_SUSPECTS = 200_000;
/** How many times the links of newly written records are searched for. */
const MAX_ATTEMPTS = 5;

/** Finds records that no link contains. Those from before `startedMs`, when the first chain started, are in no chain. */
function createStrayFinder(db: Kysely<Tables>, startedMs: number) {
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
      const edges = [span, span + 1].map((at) => auditIdAt(at * SPAN_MS));
      const [from = '', to] = span === UNDATED ? [] : edges;
      for await (const ids of readIds(db, from, to)) {
        for (const id of ids) if (found.size < MAX_SUSPECTS && spanOf(id) === span) found.add(id);
      }
    }
    return found;
  };

  return {
    /** Counts the stored records. Call it before the chains are walked, so that each record has its link by then. */
    count: async (): Promise<void> => {
      for await (const ids of readIds(db, '')) for (const id of ids) tally(id, 1);
    },
    /** Called with each record that a link contains. */
    linked: (auditId: string): void => tally(auditId, -1),
    /** Reports the strays. Returns the number of records from before the first chain started. */
    report: async (findings: ChainFindings, settleMs: number): Promise<number> => {
      const strays = await suspects();
      const heads = new Map<string, number>();
      // An earlier version ships records before their links.
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
