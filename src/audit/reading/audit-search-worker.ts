import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';
import { createRecordsHash, type SealedRecords } from '../seals/seal.ts';

/** A query for the search thread. */
export interface SearchJob {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** Records to hash for a seal. */
export interface HashJob {
  readonly after: number;
  readonly upTo: number;
}

/** The rows, or the reason for the log why the query failed. */
export type SearchResult =
  | { readonly rows: unknown[] }
  | SealedRecords
  | { readonly error: string };

const BUSY_TIMEOUT_MS = 5000;
const file = new DatabaseSync(String(workerData), { readOnly: true, timeout: BUSY_TIMEOUT_MS });

function resultOf(job: SearchJob | HashJob): SearchResult {
  try {
    if ('upTo' in job) return hashRecords(job);
    return { rows: file.prepare(job.sql).all(...job.parameters) };
  } catch (error) {
    return { error: String(error) };
  }
}

function hashRecords({ after, upTo }: HashJob): SealedRecords {
  const records = createRecordsHash();
  const rows = file
    .prepare(
      `SELECT ${RECORD_COLUMNS.join(', ')} FROM audit_records WHERE n > ? AND n <= ? ORDER BY n`,
    )
    .iterate(after, upTo);
  for (const row of rows) records.add([row as unknown as AuditRecordsTable]);
  return records.result();
}

parentPort?.on('message', (job: SearchJob | HashJob) => parentPort?.postMessage(resultOf(job)));
