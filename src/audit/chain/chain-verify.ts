import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type ChainFinding, type ChainFindings, createFindings } from './chain-findings.ts';
import type { LinkName } from './chain-link.ts';
import { readOrigins } from './chain-reader.ts';
import { createStrayFinder } from './chain-strays.ts';
import { createSweepLookup, type SweepLookup } from './chain-sweep.ts';
import { readTrust } from './chain-trust.ts';
import { type OriginSummary, walkChain } from './chain-walk.ts';

export interface VerifyOptions {
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

export interface VerifyReport {
  /** There are no findings. */
  readonly intact: boolean;
  readonly origins: readonly OriginSummary[];
  /** The oldest record concerned; null if no finding has one. */
  readonly firstRecord: string | null;
  /** Records from before the chain started, which cannot be checked. */
  readonly unchainedRecords: number;
  readonly counts: ReturnType<ChainFindings['counts']>;
  /** The first 100 findings. */
  readonly findings: readonly ChainFinding[];
}

/**
 * Reads the audit log once, in bounded memory, and compares it with its hash chains. A gateway may be running meanwhile.
 * Rejects with GatewayError `unavailable`.
 */
export async function verifyChain(options: VerifyOptions): Promise<VerifyReport> {
  const { db, origin: only, anchors = [] } = options;
  const findings = createFindings();
  const origins = await readOrigins(db);
  const trust = await readTrust(db, origins, anchors);
  const sweeps = await createSweepLookup(db, trust.provenTo);
  const startedMs = anchors.length > 0 ? 0 : await readStart(db, origins);
  const strays = createStrayFinder({
    db,
    startedMs: Math.max(startedMs, options.beganMs ?? 0),
    settleMs: options.settleMs,
  });
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
        sweeps,
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
  await reportGone(
    trust.anchors.filter(
      (anchor) => !origins.includes(anchor.origin) && !trust.isLost(anchor, false),
    ),
    sweeps,
    findings,
  );
  const unchainedRecords = only === undefined ? await strays.report(findings) : 0;
  return {
    intact: findings.listed().length === 0,
    origins: summaries,
    firstRecord: findings.firstRecord(),
    unchainedRecords,
    counts: findings.counts(),
    findings: findings.listed(),
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

/** Chains with an anchor but without links. Older versions may have swept the whole chain. */
async function reportGone(
  anchors: readonly LinkName[],
  sweeps: SweepLookup,
  findings: ChainFindings,
): Promise<void> {
  for (const { origin, seq } of anchors) {
    if (await sweeps.covers(({ links }) => (links.get(origin) ?? 0) >= seq)) continue;
    const text = `There is an anchor for link ${seq}, but no link: the whole chain was removed.`;
    findings.add({ kind: 'truncated', origin, seq, text });
  }
}
