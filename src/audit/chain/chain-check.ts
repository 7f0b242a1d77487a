import type { Kysely } from 'kysely';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { auditIdTime } from '../record/audit-record.ts';
import { type ChainLink, hashLink, hashRecords, isIntact } from './chain-link.ts';
import { idsOf, readLink, readLinks, readRecords } from './chain-reader.ts';
import { type ChainTrust, MAX_SPREAD_MS } from './chain-trust.ts';

/** How the log was changed. */
export type FindingKind =
  | 'deleted'
  | 'altered'
  | 'reordered'
  | 'inserted'
  | 'truncated'
  | 'unknown';

export interface ChainFinding {
  readonly kind: FindingKind;
  /** Undefined for a record that no chain contains. */
  readonly origin?: string;
  readonly seq?: number;
  /** The record concerned, or the first one of the link; the last one that is left of a truncated chain. */
  readonly auditId?: string;
  /** A sentence for the operator. */
  readonly text: string;
}

/** Enough for an operator to start from. Further findings are counted but not listed. */
const MAX_LISTED = 100;

export class ChainFindings {
  /** The first findings, up to 100. */
  readonly listed: ChainFinding[] = [];
  readonly counts: Partial<Record<FindingKind, number>> = {};
  /** The oldest record concerned, also of findings that are not listed; null if no finding has one. */
  firstRecord: string | null = null;

  add(finding: ChainFinding): void {
    const { kind, auditId } = finding;
    if (auditId !== undefined && auditId < (this.firstRecord ?? '\uffff')) {
      this.firstRecord = auditId;
    }
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (this.listed.length < MAX_LISTED) this.listed.push(finding);
  }

  /** Adds a finding with the first record of the link, if it has one. */
  addAt(link: ChainLink, kind: FindingKind, text: string, seq = link.seq): void {
    const [auditId] = idsOf(link);
    const place = { origin: link.origin, seq, ...(auditId === undefined ? {} : { auditId }) };
    this.add({ ...place, kind, text });
  }
}

export type OriginSummary = NonNullable<Awaited<ReturnType<typeof walkChain>>>;

interface WalkDeps {
  readonly db: Kysely<Tables>;
  readonly findings: ChainFindings;
  readonly trust: ChainTrust;
  /** Returns which of the ids belong to dead letters. */
  readonly deadLetters: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called with each stored record that a link contains. */
  readonly onLinked: (auditId: string) => void;
  /** Called after each page with the number of links and records so far. */
  readonly onProgress: (links: number, records: number) => void;
}

/** Checks one chain from its first link to its last. Returns null for a chain without links. */
export async function walkChain(deps: WalkDeps, origin: string) {
  const { findings, trust } = deps;
  const anchors = trust.anchors.filter((anchor) => anchor.origin === origin);
  const checkLink = createLinkCheck(deps);
  /** The records include those that were swept or are dead letters. */
  const counts = { links: 0, records: 0, sweptRecords: 0, deadLettered: 0 };
  let first: ChainLink | undefined;
  let last: ChainLink | undefined;
  let lastWithRecords: ChainLink | undefined;
  for await (const group of readLinks(deps.db, origin)) {
    const rows = await readRecords(deps.db, group.flatMap(idsOf));
    for (const link of group) {
      const hasRecords = link.kind === 'records';
      if (hasRecords && !lastWithRecords && trust.isUnknown(origin)) {
        findings.addAt(link, 'unknown', UNKNOWN);
      }
      const isIntact = await checkLink(link);
      await checkRecords({ ...deps, counts }, link, isIntact, rows);
      for (const { seq, hash } of anchors) {
        if (seq === link.seq && hash !== link.hash) findings.addAt(link, 'altered', OTHER_HASH);
      }
      first ??= link;
      last = link;
      if (hasRecords) lastWithRecords = link;
      counts.links++;
    }
    deps.onProgress(counts.links, counts.records);
  }
  if (!first || !last) return null;
  if (trust.isUnknown(origin) && !lastWithRecords) findings.addAt(first, 'unknown', UNKNOWN);
  // An anchor beyond the end of its chain proves that the end was removed, or lost when a backup was restored.
  for (const anchor of anchors) {
    if (anchor.seq <= last.seq || trust.isLost(anchor, true)) continue;
    const text = `The chain ends at link ${last.seq}, but there is an anchor for link ${anchor.seq}: the end was removed.`;
    findings.addAt(lastWithRecords ?? last, 'truncated', text, anchor.seq);
  }
  return {
    origin: last.origin,
    firstSeq: first.seq,
    lastSeq: last.seq,
    lastHash: last.hash,
    firstAt: new Date(first.made_at_ms).toISOString(),
    lastAt: new Date(last.made_at_ms).toISOString(),
    ...counts,
  };
}

const UNKNOWN =
  'No given anchor is of this chain. If the log of its gateway has one, give it too; otherwise the chain was forged.';
const OTHER_HASH = 'The anchor has a different hash: the chain was rewritten up to this link.';
const REWRITTEN =
  'The link does not follow the one before it: the chain was rewritten before this link.';
const BEHIND_END = 'The link was inserted behind the last one that the gateway of the chain wrote.';

/**
 * Checks the links of one chain, in order: reports what is wrong with a link and with its position. Resolves with true if
 * the link itself is intact.
 */
function createLinkCheck({ db, findings, trust }: WalkDeps): (link: ChainLink) => Promise<boolean> {
  let previous: ChainLink | undefined;
  let isPreviousIntact = true;

  /**
   * A sweep deletes the links of a chain from its oldest on, up to one that an anchor proves and that is itself old enough
   * to be deleted: those before it are older.
   */
  const isSweptBefore = async (link: ChainLink): Promise<boolean> => {
    if (!Number.isInteger(link.seq) || link.seq > trust.provenTo(link.origin)) return false;
    const before = previous?.kind === 'start' ? undefined : previous;
    if (before && (await readLink(db, before.origin, before.seq))) return false;
    return trust.sweepsCover(
      ({ beforeMs, links }) =>
        link.made_at_ms < beforeMs || (links.get(link.origin) ?? 0) >= link.seq - 1,
    );
  };

  const checkPosition = async (link: ChainLink, intact: boolean): Promise<void> => {
    // The chains of older versions start with 1, which then follows nothing.
    const first = link.prev_hash === '' ? 1 : 0;
    const expected = previous ? previous.seq + 1 : Math.min(link.seq, first);
    if (link.seq === expected) {
      const isBroken = intact && isPreviousIntact && link.prev_hash !== (previous?.hash ?? '');
      if (isBroken) findings.addAt(link, 'altered', REWRITTEN);
    } else if (!(await isSweptBefore(link))) {
      findings.addAt(link, 'deleted', missing(expected, link.seq - 1), expected);
    }
  };

  return async (link) => {
    const intact = isIntact(link);
    if (!intact) {
      const original = originalSeq(link);
      if (original === undefined) findings.addAt(link, 'altered', 'The link was changed.');
      else findings.addAt(link, 'reordered', `The link was number ${original}.`);
    }
    await checkPosition(link, intact);
    if (link.seq > trust.endOf(link.origin)) findings.addAt(link, 'inserted', BEHIND_END);
    previous = link;
    isPreviousIntact = intact;
    return intact;
  };
}

const missing = (from: number, to: number): string =>
  `${from === to ? `Link ${from} was` : `Links ${from} to ${to} were`} deleted, and no proven sweep explains it.`;

/** The largest distance at which the original position of a moved link is searched for. */
const MAX_DISTANCE = 10_000;

/** The sequence number that a link was created with; undefined if more than its sequence number was changed. */
function originalSeq(link: ChainLink): number | undefined {
  for (let distance = 1; distance <= MAX_DISTANCE; distance++) {
    for (const seq of [link.seq - distance, link.seq + distance]) {
      if (hashLink({ ...link, seq }) === link.hash) return seq;
    }
  }
  return undefined;
}

type Records = ReadonlyMap<string, AuditRecordsTable>;

interface CountedDeps extends WalkDeps {
  readonly counts: Pick<OriginSummary, 'records' | 'sweptRecords' | 'deadLettered'>;
}

/** Counts the records of a link and reports what is wrong with them. A link that was changed proves nothing about them. */
async function checkRecords(
  { counts, ...deps }: CountedDeps,
  link: ChainLink,
  isIntact: boolean,
  rows: Records,
): Promise<void> {
  const ids = idsOf(link);
  counts.records += ids.length;
  const absent = ids.filter((id) => !rows.has(id));
  for (const id of ids) if (rows.has(id)) deps.onLinked(id);
  if (!isIntact) return;
  if (absent.length === 0) return checkContents(deps.findings, link, ids, rows);
  // A record may be absent because retention deleted it or because PostgreSQL refused it.
  const newestMs = Math.max(...ids.map(timeOf));
  const dead = await deps.deadLetters(absent);
  counts.deadLettered += dead.size;
  for (const auditId of absent) {
    if (dead.has(auditId)) continue;
    const createdMs = timeOf(auditId);
    const isSwept = await deps.trust.sweepsCover(
      ({ beforeMs, eachBeforeMs }) =>
        newestMs < beforeMs || createdMs < Math.max(beforeMs - MAX_SPREAD_MS, eachBeforeMs),
    );
    if (isSwept) counts.sweptRecords++;
    else {
      const text = `The record ${auditId} was deleted, and no proven sweep explains it.`;
      deps.findings.add({ kind: 'deleted', origin: link.origin, seq: link.seq, auditId, text });
    }
  }
}

const timeOf = (auditId: string): number => auditIdTime(auditId) ?? Number.POSITIVE_INFINITY;

/** Compares the contents of the records with the hash in their link. */
function checkContents(
  findings: ChainFindings,
  link: ChainLink,
  ids: readonly string[],
  rows: Records,
): void {
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  if (found.length === 0 || hashRecords(found) === link.records_hash) return;
  const pair = swappedPair(found, link.records_hash);
  const one = `The record ${ids[0]} was changed.`;
  const several = `A record from ${ids[0]} to ${ids.at(-1)} was changed.`;
  if (!pair) findings.addAt(link, 'altered', ids.length === 1 ? one : several);
  else {
    const swapped = `The contents of the records ${pair.join(' and ')} were swapped.`;
    findings.addAt(link, 'reordered', swapped);
  }
}

/** For more records, trying every pair would take too long. */
const MAX_PAIRED = 64;

/** The ids of two records whose contents were swapped, if a swap explains the hash. */
function swappedPair(rows: readonly AuditRecordsTable[], hash: string): string[] | undefined {
  if (rows.length > MAX_PAIRED) return undefined;
  for (const [i, one] of rows.entries()) {
    for (const [j, other] of rows.entries()) {
      if (j <= i) continue;
      const changed = rows.with(i, { ...other, audit_id: one.audit_id });
      changed[j] = { ...one, audit_id: other.audit_id };
      if (hashRecords(changed) === hash) return [one.audit_id, other.audit_id];
    }
  }
  return undefined;
}
