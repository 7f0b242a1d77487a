import type { Kysely } from 'kysely';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { auditIdTime } from '../record/audit-id-time.ts';
import type { ChainFindings } from './chain-findings.ts';
import {
  type ChainAnchor,
  type ChainLink,
  hashLink,
  hashRecords,
  serialiseRecord,
} from './chain-link.ts';
import { idsOf, readLinks, readRecords } from './chain-reader.ts';
import { isIntact, type LawfulSweeps, readSweeps } from './chain-sweep.ts';

export interface OriginSummary {
  readonly origin: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastHash: string;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly links: number;
  /** Records that its links name: found, deleted by retention, and set aside as undeliverable. */
  readonly records: number;
  readonly sweptRecords: number;
  readonly deadLettered: number;
}

export interface WalkDeps {
  readonly db: Kysely<Tables>;
  readonly findings: ChainFindings;
  readonly anchors: readonly Pick<ChainAnchor, 'origin' | 'seq' | 'hash'>[];
  /** Those of the ids that could not be delivered and were set aside. */
  readonly deadLetters: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Told of each record that a link names. */
  readonly onNamed: (auditId: string) => void;
  /** Told of the number of links and records after each page. */
  readonly onProgress: (links: number, records: number) => void;
}

type Records = ReadonlyMap<string, AuditRecordsTable>;

/** Checks one chain from its first link to its last. */
export async function walkChain(deps: WalkDeps, origin: string): Promise<OriginSummary | null> {
  const { db, findings } = deps;
  const counts = { links: 0, records: 0, swept: 0, deadLettered: 0 };
  let sweeps = await readSweeps(db);
  let first: ChainLink | undefined;
  let previous: ChainLink | undefined;
  let previousIntact = true;

  /** A sweep may have gone on since they were read. */
  const isSwept = async (covers: (sweeps: LawfulSweeps) => boolean): Promise<boolean> => {
    if (covers(sweeps)) return true;
    sweeps = await readSweeps(db);
    return covers(sweeps);
  };

  const checkPlace = async (link: ChainLink, intact: boolean): Promise<void> => {
    const expected = (previous?.seq ?? 0) + 1;
    const before = link.seq - 1;
    if (link.seq > expected) {
      const endOf = ({ links }: LawfulSweeps) => links.get(origin) ?? { seq: 0, hash: '' };
      if (!(await isSwept((lawful) => endOf(lawful).seq >= before))) {
        findings.add({ kind: 'deleted', origin, seq: expected, text: missing(expected, before) });
      } else if (endOf(sweeps).seq === before && endOf(sweeps).hash !== link.prev_hash && intact) {
        findings.add({ kind: 'altered', origin, seq: link.seq, text: BROKEN });
      }
    } else if (intact && previousIntact && link.prev_hash !== (previous?.hash ?? '')) {
      findings.add({ kind: 'altered', origin, seq: link.seq, text: BROKEN });
    }
  };

  const checkItself = (link: ChainLink): boolean => {
    if (isIntact(link)) return true;
    const seq = originalSeq(link);
    findings.add(
      seq === undefined
        ? { kind: 'altered', origin, seq: link.seq, text: 'The link was changed.' }
        : { kind: 'reordered', origin, seq: link.seq, text: `The link was number ${seq}.` },
    );
    return false;
  };

  const checkRecords = async (link: ChainLink, intact: boolean, rows: Records): Promise<void> => {
    const ids = idsOf(link);
    counts.records += ids.length;
    const absent = ids.filter((id) => !rows.has(id));
    for (const id of ids) if (rows.has(id)) deps.onNamed(id);
    if (!intact) return;
    if (absent.length > 0) await excuse(link, absent);
    else checkContents(link, ids, rows);
  };

  const excuse = async (link: ChainLink, absent: readonly string[]): Promise<void> => {
    const dead = await deps.deadLetters(absent);
    counts.deadLettered += dead.size;
    for (const auditId of absent) {
      if (dead.has(auditId)) continue;
      const madeMs = auditIdTime(auditId) ?? Number.POSITIVE_INFINITY;
      if (await isSwept(({ beforeMs }) => madeMs < beforeMs)) counts.swept++;
      else {
        const text = `The record ${auditId} was deleted.`;
        findings.add({ kind: 'deleted', origin, seq: link.seq, auditId, text });
      }
    }
  };

  const checkContents = (link: ChainLink, ids: readonly string[], rows: Records): void => {
    const found = ids.flatMap((id) => rows.get(id) ?? []);
    if (found.length === 0 || hashOf(found) === link.records_hash) return;
    const pair = exchangedPair(found, link.records_hash);
    const text = pair
      ? `The contents of the records ${pair.join(' and ')} were exchanged.`
      : ids.length === 1
        ? `The record ${ids[0]} was changed.`
        : `A record from ${ids[0]} to ${ids.at(-1)} was changed.`;
    findings.add({ kind: pair ? 'reordered' : 'altered', origin, seq: link.seq, text });
  };

  const checkAnchors = (link: ChainLink): void => {
    for (const anchor of deps.anchors) {
      if (anchor.origin !== origin || anchor.seq !== link.seq || anchor.hash === link.hash)
        continue;
      const text = 'The anchor has another hash: the chain was rewritten up to here.';
      findings.add({ kind: 'altered', origin, seq: link.seq, text });
    }
  };

  for await (const group of readLinks(db, origin)) {
    const rows = await readRecords(db, group.flatMap(idsOf));
    for (const link of group) {
      const intact = checkItself(link);
      await checkPlace(link, intact);
      await checkRecords(link, intact, rows);
      checkAnchors(link);
      first ??= link;
      previous = link;
      previousIntact = intact;
      counts.links++;
    }
    deps.onProgress(counts.links, counts.records);
  }
  return first && previous ? summarise(first, previous, counts) : null;
}

const BROKEN = 'The link does not follow the one before it: the chain was rewritten before here.';

const missing = (from: number, to: number): string =>
  from === to ? `Link ${from} was deleted.` : `Links ${from} to ${to} were deleted.`;

const hashOf = (rows: readonly AuditRecordsTable[]): string =>
  hashRecords(rows.map(serialiseRecord).join(''));

/** How far from its place a moved link is looked for. */
const MAX_MOVE = 10_000;

/** The place that a link was made for; undefined when more than that was changed. */
function originalSeq(link: ChainLink): number | undefined {
  for (let move = 1; move <= MAX_MOVE; move++) {
    for (const seq of [link.seq - move, link.seq + move]) {
      if (hashLink({ ...link, seq }) === link.hash) return seq;
    }
  }
  return undefined;
}

/** Of more records, trying every pair would take too long. */
const MAX_PAIRED = 64;

/** The ids of two records whose contents were exchanged, if that explains the hash. */
function exchangedPair(rows: readonly AuditRecordsTable[], hash: string): string[] | undefined {
  if (rows.length > MAX_PAIRED) return undefined;
  for (const [i, one] of rows.entries()) {
    for (const [j, other] of rows.entries()) {
      if (j <= i) continue;
      const changed = rows.with(i, { ...other, audit_id: one.audit_id });
      changed[j] = { ...one, audit_id: other.audit_id };
      if (hashOf(changed) === hash) return [one.audit_id, other.audit_id];
    }
  }
  return undefined;
}

function summarise(
  first: ChainLink,
  last: ChainLink,
  counts: { links: number; records: number; swept: number; deadLettered: number },
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
