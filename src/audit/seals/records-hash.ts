import { createHash } from 'node:crypto';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';

/** What a seal says of its records. */
export interface SealedRecords {
  readonly count: number;
  readonly recordsHash: string;
}

/** Hashes records that are added in the order of `n`. */
export function createRecordsHash() {
  const digest = createHash('sha256');
  let count = 0;
  return {
    add: (rows: readonly AuditRecordsTable[]): void => {
      digest.update(serialise(rows));
      count += rows.length;
    },
    result: (): SealedRecords => ({ count, recordsHash: digest.digest('base64url') }),
  };
}

/**
 * NUL follows each column: no column can contain it, so no text can be moved from one column to another. `=` tells an empty
 * text from null.
 */
function serialise(rows: readonly AuditRecordsTable[]): string {
  const texts: string[] = [];
  for (const row of rows) {
    for (const column of RECORD_COLUMNS) {
      const value = row[column];
      texts.push(value === null ? '\0' : `=${value}\0`);
    }
  }
  return texts.join('');
}
