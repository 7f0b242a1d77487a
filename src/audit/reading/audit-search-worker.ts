import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** A query for the search thread. */
export interface SearchJob {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** The rows, or the reason for the log why the query failed. */
export type SearchResult = { readonly rows: unknown[] } | { readonly error: string };

const BUSY_TIMEOUT_MS = 5000;
const file = new DatabaseSync(String(workerData), { readOnly: true, timeout: BUSY_TIMEOUT_MS });

function resultOf({ sql, parameters }: SearchJob): SearchResult {
  try {
    return { rows: file.prepare(sql).all(...parameters) };
  } catch (error) {
    return { error: String(error) };
  }
}

parentPort?.on('message', (job: SearchJob) => parentPort?.postMessage(resultOf(job)));
