import type { CountedRecord } from '../../audit/record/counted-record.ts';
import { type Cell, createCells } from '../tally/count-records.ts';

/** Cells of one hand-over. Beyond them, the records are read from the file. */
export const MAX_RECENT_CELLS = 500;

/** Records that this process has committed one after another, already put into cells. */
export interface RecentRecords {
  /** Row id of the record before the first one. */
  readonly afterRowId: number;
  readonly lastRowId: number;
  readonly lastAuditId: string;
  readonly records: number;
  /** Null if they must be read. */
  readonly cells: readonly Cell[] | null;
}

/**
 * Counts records while they are still in memory: reading each of them again would cost a tenth of a cached call. What is lost
 * here, such as with the process, is read from the file.
 */
export interface RecentCounter {
  /** The rows of one commit, and the row id of the last one. Must be called for every commit, in their order. */
  add(rows: readonly CountedRecord[], lastRowId: number): void;
  /** Hands over the records since the last time; undefined without any. */
  take(): RecentRecords | undefined;
}

export function createRecentCounter(): RecentCounter {
  let cells = createCells();
  let afterRowId = 0;
  let lastRowId = 0;
  let lastAuditId = '';
  let isComplete = true;

  const startAfter = (rowId: number): void => {
    cells = createCells();
    afterRowId = rowId;
    lastRowId = rowId;
    isComplete = true;
  };

  return {
    add(rows, newLastRowId) {
      const last = rows.at(-1);
      if (!last) return;
      const firstRowId = newLastRowId - rows.length + 1;
      if (firstRowId !== lastRowId + 1) {
        // After a start, the records before are read. Otherwise, row ids have been assigned again: so are these.
        const isEmpty = lastRowId === afterRowId;
        startAfter(firstRowId - 1);
        isComplete = isEmpty;
      }
      lastRowId = newLastRowId;
      lastAuditId = last.audit_id;
      if (!isComplete) return;
      for (const row of rows) cells.add(row);
      isComplete = cells.size <= MAX_RECENT_CELLS;
    },
    take() {
      const records = lastRowId - afterRowId;
      if (records === 0) return undefined;
      const counted = isComplete ? [...cells.all()] : null;
      const taken = { afterRowId, lastRowId, lastAuditId, records, cells: counted };
      startAfter(lastRowId);
      return taken;
    },
  };
}
