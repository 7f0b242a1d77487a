import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely, PostgresDialect } from 'kysely';
import { createPostgresPool } from '../platform/database/postgres-pool.ts';
import { createSqliteDialect } from '../platform/database/sqlite-file.ts';
import type { Tables } from '../platform/database/tables.ts';
import { type ErrorCode, GatewayError } from '../platform/kernel/error.ts';
import { codeOf } from '../platform/kernel/log-lines.ts';
import { Secret } from '../platform/kernel/secret.ts';
import type { Cell } from './cells.ts';
import type { RefusalCell } from './refusals.ts';
import { createStatisticsReader, type StatisticsReader } from './statistics-reader.ts';
import {
  addRefusals,
  addRows,
  createRowNames,
  refusalRowsOf,
  rowsOf,
  trimStatistics,
} from './statistics-rows.ts';

/** The database that the thread connects to: the URL of a PostgreSQL server, or the path of `audit.db`. */
export type ThreadSource = { readonly url: string } | { readonly path: string };

/** A question; cells to be added; or the deletion of old rows, which resolves with whether more are left. */
export interface ThreadJob {
  readonly method: keyof StatisticsReader | 'add' | 'addRefusals' | 'trim';
  readonly args: readonly unknown[];
  readonly nowMs: number;
}

/** The answer; or the error, with its cause for the log. */
export type ThreadResult = { readonly value: unknown } | ThreadFailure;

interface ThreadFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** `code` comes from the database, such as SQLSTATE. */
  readonly cause: { readonly text: string; readonly code: string | undefined };
}

const BUSY_TIMEOUT_MS = 5000;
/** The pages between two checkpoints: as many as the ledger's connection allows. */
const CHECKPOINT_PAGES = 4000;

function open(source: ThreadSource) {
  if ('url' in source) {
    const pool = createPostgresPool({ databaseUrl: new Secret(source.url), maxConnections: 1 });
    return new PostgresDialect({ pool });
  }
  const file = new DatabaseSync(source.path, { timeout: BUSY_TIMEOUT_MS });
  file.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA synchronous = NORMAL`);
  return createSqliteDialect(file);
}

const source: ThreadSource = workerData;
const db = new Kysely<Tables>({ dialect: open(source) });
let nowMs = 0;

const rowFor = createRowNames();

const methods = {
  ...createStatisticsReader({ db, clock: { now: () => nowMs } }),
  add: (cells: readonly Cell[]) => addRows(db, rowsOf(cells, rowFor, nowMs)),
  addRefusals: (cells: readonly RefusalCell[]) =>
    addRefusals(db, refusalRowsOf(cells, rowFor, nowMs)),
  trim: async () => (await trimStatistics(db, nowMs)) > 0,
};

async function resultOf(job: ThreadJob): Promise<ThreadResult> {
  nowMs = job.nowMs;
  try {
    const method = methods[job.method] as (...args: readonly unknown[]) => Promise<unknown>;
    return { value: await method(...job.args) };
  } catch (error) {
    const { code, message } = error instanceof GatewayError ? error : new GatewayError('internal');
    const cause = error instanceof GatewayError ? error.cause : error;
    return { code, message, cause: { text: String(cause), code: codeOf(cause) } };
  }
}

parentPort?.on('message', (job: ThreadJob) => {
  void resultOf(job).then((result) => parentPort?.postMessage(result));
});
