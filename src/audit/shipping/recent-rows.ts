import type { AuditRecordsTable } from '../../platform/database/tables.ts';

/** Several rounds of shipping at full load. What does not fit is read from the file. */
const MAX_ROWS = 4000;
const MAX_BYTES = 8 * 1024 * 1024;
/** About the size of the columns that hold no text of a caller or an upstream. */
const FIXED_BYTES = 500;

export interface WaitingRow {
  readonly rowid: number;
  /** About the size of its values. */
  readonly bytes: number;
  /** Its values, if it is one of the latest. */
  readonly row?: AuditRecordsTable;
}

export type RecentRows = ReturnType<typeof createRecentRows>;

/**
 * The rows of the latest commits, so that they are shipped without being measured and read again: that cost more than half
 * of shipping. The file has them, too.
 */
export function createRecentRows() {
  const rows = new Map<string, WaitingRow>();
  let bytes = 0;
  const forget = (auditId: string): void => {
    bytes -= rows.get(auditId)?.bytes ?? 0;
    rows.delete(auditId);
  };
  return {
    /** Adds the rows of a commit, which have consecutive row ids. */
    add: (committed: readonly AuditRecordsTable[], lastRowId: number): void => {
      let rowid = lastRowId - committed.length;
      for (const row of committed) {
        rowid++;
        if (rows.size >= MAX_ROWS || bytes >= MAX_BYTES) return;
        const recent = { rowid, bytes: bytesOf(row), row };
        rows.set(row.audit_id, recent);
        bytes += recent.bytes;
      }
    },
    get: (auditId: string): WaitingRow | undefined => rows.get(auditId),
    forget,
    /** Forgets a row that was taken out of the file. */
    forgetRow: (rowid: number): void => {
      for (const [auditId, recent] of rows) if (recent.rowid === rowid) forget(auditId);
    },
  };
}

const bytesOf = (row: AuditRecordsTable): number =>
  FIXED_BYTES +
  row.arguments.length +
  (row.answer?.length ?? 0) +
  (row.upstream_url?.length ?? 0) +
  (row.error_message?.length ?? 0) +
  (row.public_data_message?.length ?? 0);
