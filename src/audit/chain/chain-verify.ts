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
  /** Only the chain of this origin; records without a link are then not looked for. */
  readonly origin?: string | undefined;
  /** What the log has kept outside the database. */
  readonly anchors?: readonly Pick<ChainAnchor, 'origin' | 'seq' | 'hash'>[];
  /** Records from before this moment need no link, because not every gateway chained them yet. */
  readonly beganMs?: number | undefined;
  /** Those of the ids that could not be delivered and were set aside. */
  readonly deadLetters?: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onProgress?: (links: number, records: number) => void;
  /** Pause between two looks for the links of records that have just been written. */
  readonly settleMs?: number;
}

export interface VerifyReport {
  /** Nothing was found. */
  readonly intact: boolean;
  readonly origins: readonly OriginSummary[];
  /** Records from before the chain began, which nothing can be said of. */
  readonly unchainedRecords: number;
  readonly counts: ReturnType<ChainFindings['counts']>;
  /** The first 100. */
  readonly findings: readonly ChainFinding[];
}

/**
 * Reads the audit log once, in bounded memory, and compares it with its hash chains. A gateway may be at work
 * meanwhile. Rejects with GatewayError `unavailable`.
 */
export async function verifyChain(options: VerifyOptions): Promise<VerifyReport> {
  const { db, origin: only, anchors = [] } = options;
  const findings = createFindings();
  const origins = await readOrigins(db);
  const strays = createStrayFinder({
    db,
    beganMs: Math.max(await beginning(db, origins), options.beganMs ?? 0),
    settleMs: options.settleMs ?? 1000,
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
        onNamed: strays.named,
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

/** When the first chain began; 0 once its first link was swept, and with it all that is older. */
async function beginning(db: Kysely<Tables>, origins: readonly string[]): Promise<number> {
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
  const moments = firsts.flatMap((first) =>
    first ? [first.seq === 1 ? first.made_at_ms : 0] : [],
  );
  return moments.length > 0 ? Math.min(...moments) : Number.POSITIVE_INFINITY;
}

/** An anchor beyond the end of its chain shows that the end was cut off. */
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
    const text = `The chain ends at link ${lastSeq ?? 0}, but the anchor is of link ${seq}: its end was cut off.`;
    findings.add({ kind: 'truncated', origin, seq, text });
  }
}
