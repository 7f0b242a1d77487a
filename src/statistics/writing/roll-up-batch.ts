import type { DatabaseSync } from 'node:sqlite';
import { COUNTED_COLUMNS, type CountedRecord } from '../../audit/record/counted-record.ts';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { StatisticsTable } from '../../platform/database/tables.ts';
import { countCells, countRecords } from '../tally/count-records.ts';
import { mergeAdditions } from '../tally/merge-additions.ts';
import type { Step } from '../tally/steps.ts';
import type { RecentRecords } from './recent-records.ts';
import { openSqliteRows } from './sqlite-rows.ts';

const RECORDS_AT_ONCE = 2000;
/** One transaction holds the write lock for at most some 5 ms, for which a commit of calls may have to wait. */
const ROWS_AT_ONCE = 1000;

/** What one transaction has done. */
export interface RolledBatch {
  readonly records: number;
  /** False once it has counted what it found: records that arrive meanwhile are left for later, to be counted together. */
  readonly hasMore: boolean;
  /** How long it held the write lock. */
  readonly lockedMs: number;
}

/**
 * Counts the next records of `audit.db` by minute, hour or day: one transaction for each is shorter than for all. Their rows and the progress change in one transaction, so each record counts
 * once, whenever the process ends. Everything is read before the transaction: nothing else writes these rows. `recent` are
 * counted without being read, once all records before them are counted.
 */
export type RollUpBatch = (minutesFromMs: number, recent?: RecentRecords) => RolledBatch;

export function createRollUpBatch(file: DatabaseSync, step: Step): RollUpBatch {
  const rows = openSqliteRows(file);
  const progress = openProgress(file, step);
  const select = file.prepare(
    `SELECT rowid AS row_id, ${COUNTED_COLUMNS.join(', ')} FROM audit_records
     WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?`,
  );
  let limit = RECORDS_AT_ONCE;

  const compute = (records: readonly CountedRecord[], minutesFromMs: number): Computed => {
    const computed = mergeAdditions(countRecords(records, minutesFromMs, [step]), rows);
    if (computed.length <= ROWS_AT_ONCE || records.length === 1) return { records, rows: computed };
    limit = Math.ceil(records.length / 2);
    return compute(records.slice(0, limit), minutesFromMs);
  };

  /** Adds rows to those that are stored, if the progress is still where it was. */
  const commit = (
    fromRowId: number,
    last: Last | undefined,
    computed: readonly StatisticsTable[],
  ): { readonly isCounted: boolean; readonly lockedMs: number } => {
    let startedMs = 0;
    const isCounted = inTransaction(file, () => {
      startedMs = performance.now();
      if (!last || !progress.advance(fromRowId, last)) return false;
      rows.write(computed);
      return true;
    });
    return { isCounted, lockedMs: performance.now() - startedMs };
  };

  /** Undefined if the records must be read. */
  const countRecent = (
    fromRowId: number,
    { lastRowId, lastAuditId, records, cells }: RecentRecords,
    minutesFromMs: number,
  ): RolledBatch | undefined => {
    if (cells === null) return undefined;
    const computed = mergeAdditions(countCells(cells, minutesFromMs, [step]), rows);
    if (computed.length > ROWS_AT_ONCE) return undefined;
    const last = { row_id: lastRowId, audit_id: lastAuditId };
    const { isCounted, lockedMs } = commit(fromRowId, last, computed);
    return { records: isCounted ? records : 0, hasMore: !isCounted, lockedMs };
  };

  const countFound = (
    rowId: number,
    found: readonly Numbered[],
    minutesFromMs: number,
  ): RolledBatch => {
    const wasFull = found.length === limit;
    const computed = compute(found, minutesFromMs);
    if (computed.rows.length < ROWS_AT_ONCE / 2) limit = Math.min(RECORDS_AT_ONCE, limit * 2);
    const last = found[computed.records.length - 1];
    const { isCounted, lockedMs } = commit(rowId, last, computed.rows);
    return {
      records: isCounted ? computed.records.length : 0,
      hasMore: wasFull || !isCounted || computed.records.length < found.length,
      lockedMs,
    };
  };

  const read = (rowId: number, toRowId = Number.MAX_SAFE_INTEGER): readonly Numbered[] =>
    rowId >= toRowId ? [] : (select.all(rowId, toRowId, limit) as unknown as Numbered[]);

  return (minutesFromMs, recent) => {
    const rowId = progress.read();
    if (recent && rowId <= recent.afterRowId) {
      const before = read(rowId, recent.afterRowId);
      if (before.length > 0) return { ...countFound(rowId, before, minutesFromMs), hasMore: true };
      const counted = countRecent(rowId, recent, minutesFromMs);
      if (counted) return counted;
    }
    // Never beyond the recent ones: those that follow are counted without being read.
    const found = read(rowId, recent?.lastRowId);
    return found.length === 0 ? NOTHING : countFound(rowId, found, minutesFromMs);
  };
}

const NOTHING: RolledBatch = { records: 0, hasMore: false, lockedMs: 0 };

/** The last record of a batch. */
type Last = Pick<Numbered, 'row_id' | 'audit_id'>;

type Numbered = CountedRecord & { readonly row_id: number };

interface Computed {
  readonly records: readonly CountedRecord[];
  readonly rows: readonly StatisticsTable[];
}

function openProgress(file: DatabaseSync, step: Step) {
  const select = file.prepare(
    'SELECT row_id, audit_id, (SELECT audit_id FROM audit_records WHERE rowid = row_id) AS found_id FROM statistics_progress WHERE step = ?',
  );
  const find = file.prepare('SELECT rowid AS row_id FROM audit_records WHERE audit_id = ?');
  const newest = file.prepare('SELECT coalesce(max(rowid), 0) AS row_id FROM audit_records');
  const set = file.prepare(
    'UPDATE statistics_progress SET row_id = ?, audit_id = ? WHERE step = ?',
  );
  const advance = file.prepare(
    'UPDATE statistics_progress SET row_id = ?, audit_id = ? WHERE step = ? AND row_id = ?',
  );

  /** VACUUM numbers all rows again, in the same order. */
  const renumbered = (auditId: string, rowId: number): number => {
    const moved = find.get(auditId) ?? newest.get();
    const movedTo = Math.min(rowId, toInteger(moved?.['row_id']));
    set.run(movedTo, auditId, step);
    return movedTo;
  };

  return {
    /** The row id of the newest counted record, or of where it was. */
    read: (): number => {
      const row = select.get(step);
      const rowId = toInteger(row?.['row_id']);
      const [auditId, foundId] = [String(row?.['audit_id']), row?.['found_id']];
      if (auditId === '' || foundId === auditId) return rowId;
      const isBeyond = toInteger(newest.get()?.['row_id']) < rowId;
      return isBeyond || typeof foundId === 'string' ? renumbered(auditId, rowId) : rowId;
    },
    /** Returns false if the progress has changed since it was read: records were deleted meanwhile. */
    advance: (fromRowId: number, { row_id, audit_id }: Last): boolean =>
      toInteger(advance.run(row_id, audit_id, step, fromRowId).changes) === 1,
  };
}
