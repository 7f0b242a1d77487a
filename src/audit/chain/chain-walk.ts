import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { ChainFindings } from './chain-findings.ts';
import type { ChainLink, LinkName } from './chain-link.ts';
import { idsOf, readLinks, readRecords } from './chain-reader.ts';
import type { SweepLookup } from './chain-sweep.ts';
import type { ChainTrust } from './chain-trust.ts';
import { createLinkCheck, placeOf } from './check-links.ts';
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
  readonly trust: ChainTrust;
  readonly sweeps: SweepLookup;
  /** Returns which of the ids belong to dead letters. */
  readonly deadLetters: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called with each stored record that a link contains. */
  readonly onLinked: (auditId: string) => void;
  /** Called after each page with the number of links and records so far. */
  readonly onProgress: (links: number, records: number) => void;
}

/** Checks one chain from its first link to its last. Returns null for a chain without links. */
export async function walkChain(deps: WalkDeps, origin: string): Promise<OriginSummary | null> {
  const { findings, trust } = deps;
  const anchors = trust.anchors.filter((anchor) => anchor.origin === origin);
  const links = createLinkCheck(deps);
  const records = createRecordCheck(deps);
  let first: ChainLink | undefined;
  let last: ChainLink | undefined;
  let lastWithRecords: ChainLink | undefined;
  let count = 0;
  for await (const group of readLinks(deps.db, origin)) {
    const rows = await readRecords(deps.db, group.flatMap(idsOf));
    for (const link of group) {
      const isUnknown = trust.isUnknown(origin) && lastWithRecords === undefined;
      if (isUnknown && link.kind === 'records') reportUnknown(link, findings);
      const isIntact = await links.check(link);
      await records.check(link, isIntact, rows);
      checkAnchors(link, anchors, findings);
      first ??= link;
      last = link;
      if (link.kind === 'records') lastWithRecords = link;
      count++;
    }
    deps.onProgress(count, records.counts().records);
  }
  if (!first || !last) return null;
  if (trust.isUnknown(origin) && !lastWithRecords) reportUnknown(first, findings);
  checkEnd(deps, anchors, { ...(lastWithRecords ?? last), seq: last.seq });
  return summarise(first, last, { ...records.counts(), links: count });
}

function checkAnchors(
  link: ChainLink,
  anchors: readonly LinkName[],
  findings: ChainFindings,
): void {
  for (const { seq, hash } of anchors) {
    if (seq !== link.seq || hash === link.hash) continue;
    const text = 'The anchor has a different hash: the chain was rewritten up to this link.';
    findings.add({ ...placeOf(link), kind: 'altered', text });
  }
}

/** An anchor beyond the end of its chain proves that the end was removed, or lost when a backup was restored. */
function checkEnd(
  { trust, findings }: WalkDeps,
  anchors: readonly LinkName[],
  last: ChainLink,
): void {
  for (const anchor of anchors) {
    if (anchor.seq <= last.seq || trust.isLost(anchor, true)) continue;
    const text = `The chain ends at link ${last.seq}, but there is an anchor for link ${anchor.seq}: the end was removed.`;
    findings.add({ ...placeOf(last), kind: 'truncated', seq: anchor.seq, text });
  }
}

const reportUnknown = (link: ChainLink, findings: ChainFindings): void =>
  findings.add({
    ...placeOf(link),
    kind: 'unknown',
    text: 'No given anchor is of this chain. If the log of its gateway has one, give it too; otherwise the chain was forged.',
  });

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
