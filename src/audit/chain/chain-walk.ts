import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { ChainFindings } from './chain-findings.ts';
import type { ChainAnchor, ChainLink } from './chain-link.ts';
import { idsOf, readLinks, readRecords } from './chain-reader.ts';
import { createSweepLookup } from './chain-sweep.ts';
import { createLinkCheck } from './check-links.ts';
import { createRecordCheck, type RecordCounts } from './check-records.ts';

export interface OriginSummary {
  readonly origin: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastHash: string;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly links: number;
  /** Records in its links, including those that were swept or are dead letters. */
  readonly records: number;
  readonly sweptRecords: number;
  readonly deadLettered: number;
}

export interface WalkDeps {
  readonly db: Kysely<Tables>;
  readonly findings: ChainFindings;
  readonly anchors: readonly Pick<ChainAnchor, 'origin' | 'seq' | 'hash'>[];
  /** Returns which of the ids belong to dead letters. */
  readonly deadLetters: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called with each stored record that a link contains. */
  readonly onLinked: (auditId: string) => void;
  /** Called after each page with the number of links and records so far. */
  readonly onProgress: (links: number, records: number) => void;
}

/** Checks one chain from its first link to its last. Returns null for a chain without links. */
export async function walkChain(deps: WalkDeps, origin: string): Promise<OriginSummary | null> {
  const { db, findings } = deps;
  const anchors = deps.anchors.filter((anchor) => anchor.origin === origin);
  const sweeps = await createSweepLookup(db);
  const links = createLinkCheck({ origin, findings, sweeps });
  const records = createRecordCheck({ ...deps, sweeps });
  let first: ChainLink | undefined;
  let last: ChainLink | undefined;
  let count = 0;
  for await (const group of readLinks(db, origin)) {
    const rows = await readRecords(db, group.flatMap(idsOf));
    for (const link of group) {
      const isIntact = await links.check(link);
      await records.check(link, isIntact, rows);
      checkAnchors(link, anchors, findings);
      first ??= link;
      last = link;
      count++;
    }
    deps.onProgress(count, records.counts().records);
  }
  return first && last ? summarise(first, last, { ...records.counts(), links: count }) : null;
}

function checkAnchors(
  { origin, seq, hash }: ChainLink,
  anchors: WalkDeps['anchors'],
  findings: ChainFindings,
): void {
  for (const anchor of anchors) {
    if (anchor.seq !== seq || anchor.hash === hash) continue;
    const text = 'The anchor has a different hash: the chain was rewritten up to this link.';
    findings.add({ kind: 'altered', origin, seq, text });
  }
}

function summarise(
  first: ChainLink,
  last: ChainLink,
  counts: RecordCounts & { readonly links: number },
): OriginSummary {
  return {
    origin: last.origin,
    firstSeq: first.seq,
    lastSeq: last.seq,
    lastHash: last.hash,
    firstAt: new Date(first.made_at_ms).toISOString(),
    lastAt: new Date(last.made_at_ms).toISOString(),
    links: counts.links,
    records: counts.records,
    sweptRecords: counts.swept,
    deadLettered: counts.deadLettered,
  };
}
