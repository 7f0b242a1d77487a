import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { auditIdTime } from '../record/audit-id-time.ts';
import type { ChainFinding, ChainFindings } from './chain-findings.ts';
import { type ChainLink, hashRecords, serialiseRecord } from './chain-link.ts';
import { idsOf } from './chain-reader.ts';
import { type LawfulSweeps, MAX_SPREAD_MS, type SweepLookup } from './chain-sweep.ts';
import { placeOf } from './check-links.ts';

type Records = ReadonlyMap<string, AuditRecordsTable>;

export interface RecordCounts {
  readonly records: number;
  readonly swept: number;
  readonly deadLettered: number;
}

/** Compares the records of one chain with its links. */
export interface RecordCheck {
  /** Reports what is wrong with the records of a link. A link that was changed proves nothing about its records. */
  check(link: ChainLink, isIntact: boolean, rows: Records): Promise<void>;
  counts(): RecordCounts;
}

export interface RecordCheckDeps {
  readonly findings: ChainFindings;
  readonly sweeps: SweepLookup;
  /** Returns which of the ids belong to dead letters. */
  readonly deadLetters: (auditIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called with each stored record that a link contains. */
  readonly onLinked: (auditId: string) => void;
}

export function createRecordCheck(deps: RecordCheckDeps): RecordCheck {
  const { findings, sweeps } = deps;
  const counts = { records: 0, swept: 0, deadLettered: 0 };

  /** A record may be absent because retention deleted it or because PostgreSQL refused it. */
  const checkAbsent = async (link: ChainLink, absent: readonly string[]): Promise<void> => {
    const { origin, seq } = link;
    const newestMs = Math.max(...idsOf(link).map(timeOf));
    const dead = await deps.deadLetters(absent);
    counts.deadLettered += dead.size;
    for (const auditId of absent) {
      if (dead.has(auditId)) continue;
      const createdMs = timeOf(auditId);
      const isSwept = ({ beforeMs, eachBeforeMs }: LawfulSweeps): boolean =>
        newestMs < beforeMs || createdMs < Math.max(beforeMs - MAX_SPREAD_MS, eachBeforeMs);
      if (await sweeps.covers(isSwept)) counts.swept++;
      else {
        const text = `The record ${auditId} was deleted, and no proven sweep explains it.`;
        findings.add({ kind: 'deleted', origin, seq, auditId, text });
      }
    }
  };

  return {
    check: async (link, isIntact, rows) => {
      const ids = idsOf(link);
      counts.records += ids.length;
      const absent = ids.filter((id) => !rows.has(id));
      for (const id of ids) if (rows.has(id)) deps.onLinked(id);
      if (!isIntact) return;
      if (absent.length > 0) return checkAbsent(link, absent);
      const finding = findChange(link, ids, rows);
      if (finding) findings.add(finding);
    },
    counts: () => counts,
  };
}

const timeOf = (auditId: string): number => auditIdTime(auditId) ?? Number.POSITIVE_INFINITY;

/** Compares the contents of the records with the hash in their link. */
function findChange(
  link: ChainLink,
  ids: readonly string[],
  rows: Records,
): ChainFinding | undefined {
  const { records_hash } = link;
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  if (found.length === 0 || hashOf(found) === records_hash) return undefined;
  const pair = swappedPair(found, records_hash);
  if (pair) {
    const text = `The contents of the records ${pair.join(' and ')} were swapped.`;
    return { ...placeOf(link), kind: 'reordered', text };
  }
  const text =
    ids.length === 1
      ? `The record ${ids[0]} was changed.`
      : `A record from ${ids[0]} to ${ids.at(-1)} was changed.`;
  return { ...placeOf(link), kind: 'altered', text };
}

const hashOf = (rows: readonly AuditRecordsTable[]): string =>
  hashRecords(rows.map(serialiseRecord).join(''));

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
      if (hashOf(changed) === hash) return [one.audit_id, other.audit_id];
    }
  }
  return undefined;
}
