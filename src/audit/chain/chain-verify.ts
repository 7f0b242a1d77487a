import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type ChainFinding, type ChainFindings, createFindings } from './chain-findings.ts';
import type { ChainAnchor } from './chain-link.ts';
import { readOrigins } from './chain-reader.ts';
import { createStrayFinder } from './chain-strays.ts';
import { readSweeps } from './chain-sweep.ts';
import { type OriginSummary, walkChain } from './chain-walk.ts';

export interface VerifyOptions {
  readonly db: Kysely<Tables>;
  /** Checks only the chain of this origin, and does not search for records without a link. */
  readonly origin?: string | undefined;
  /** Anchors stored outside the database. */
  readonly anchors?: readonly Pick<ChainAnchor, 'origin' | 'seq' | 'hash'>[];
  /** Records from before this time need no link, because not every gateway had a chain yet. */
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
  const strays = createStrayFinder({
    db,
    startedMs: Math.max(await readStart(db, origins), options.beganMs ?? 0),
    settleMs: options.settleMs,
  });
  if (only === undefined) await strays.count();

  const summaries: OriginSummary[] = [];
  let links = 0;
  let records = 0;
  for (const origin of origins.filter((candidate) => only === undefined || candidate === only)) {
    const summary = await walkChain(
      {
        db,
        findings,
        anchors,
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
  await findTruncated(options, summaries, findings);
  const unchainedRecords = only === undefined ? await strays.report(findings) : 0;
  return {
    intact: findings.listed().length === 0,
    origins: summaries,
    unchainedRecords,
    counts: findings.counts(),
    findings: findings.listed(),
  };
}

/** When the first chain started; 0 once its first link has been swept, because all older records went with it. */
async function readStart(db: Kysely<Tables>, origins: readonly string[]): Promise<number> {
  const firsts = await Promise.all(
    origins.map((origin) =>
      runQuery(() =>
        db
          .selectFrom('audit_links')
          .select(['seq', 'made_at_ms'])
          .where('origin', '=', origin)
          .orderBy('seq')
          .limit(1)
          .executeTakeFirst(),
      ),
    ),
  );
  const starts = firsts.flatMap((first) => (first ? [first.seq === 1 ? first.made_at_ms : 0] : []));
  return starts.length > 0 ? Math.min(...starts) : Number.POSITIVE_INFINITY;
}

/** An anchor beyond the end of its chain proves that the end was removed. */
async function findTruncated(
  { db, origin: only, anchors = [] }: VerifyOptions,
  summaries: readonly OriginSummary[],
  findings: ChainFindings,
): Promise<void> {
  const { links: swept } = await readSweeps(db);
  for (const { origin, seq } of anchors) {
    if (only !== undefined && origin !== only) continue;
    const lastSeq = summaries.find((summary) => summary.origin === origin)?.lastSeq;
    if ((lastSeq ?? swept.get(origin)?.seq ?? 0) >= seq) continue;
    const text = `The chain ends at link ${lastSeq ?? 0}, but there is an anchor for link ${seq}: the end was removed.`;
    findings.add({ kind: 'truncated', origin, seq, text });
  }
}
