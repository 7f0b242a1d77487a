import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** A query for the thread. */
export interface SearchJob {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** What came of it; `fault` says why there are no rows, for the log. */
export type SearchResult = { readonly rows: unknown[] } | { readonly fault: string };

const BUSY_TIMEOUT_MS = 5000;
const file = new DatabaseSync(String(workerData), { readOnly: true, timeout: BUSY_TIMEOUT_MS });

function resultOf({ sql, parameters }: SearchJob): SearchResult {
  try {
    return { rows: file.prepare(sql).all(...parameters) };
  } catch (error) {
    return { fault: String(error) };
  }
}

parentPort?.on('message', (job: SearchJob) => parentPort?.postMessage(resultOf(job)));
