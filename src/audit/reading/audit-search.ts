import type { SQLInputValue } from 'node:sqlite';
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createWorkerQueue, WorkerTimeout } from '../../platform/kernel/worker-queue.ts';
import { workerScript } from '../../platform/kernel/worker-script.ts';
import type { SearchJob, SearchResult } from './audit-search-worker.ts';

/** A page is about 1 MiB. A query that needs more memory ends the thread, not the process. */
const THREAD = {
  script: workerScript('./audit-search-worker', import.meta.url),
  maxHeapMib: 128,
  maxWaiting: 32,
  /** Includes the wait. */
  jobTimeoutMs: 10_000,
  countsWaiting: true,
  idleMs: 30_000,
};

export type AuditSearch = ReturnType<typeof createAuditSearch>;

/**
 * Reads `audit.db`, which must exist, on its own thread, one query at a time, because a filter may scan every record. The
 * thread starts with the first query.
 */
export function createAuditSearch(path: string, bounds: Partial<typeof THREAD> = {}) {
  const queue = createWorkerQueue<SearchResult>({ ...THREAD, ...bounds, workerData: path });
  return {
    /** Rejects with GatewayError `overloaded` if too many queries wait or one takes too long, else with `unavailable`. */
    run: async <Row>({ sql, parameters }: CompiledQuery<Row>): Promise<readonly Row[]> => {
      const job: SearchJob = { sql, parameters: parameters as readonly SQLInputValue[] };
      const result = await queue.run(() => ({ value: job })).catch(refuse);
      if ('error' in result) throw unavailable(result.error);
      return result.rows as Row[];
    },
    close: queue.close,
  };
}

const TOO_MANY = 'Too many audit searches are waiting; retry in a moment.';
const TOO_SLOW = 'The audit search took too long; narrow it with `from` and `to`.';

function refuse(error: unknown): never {
  if (error instanceof WorkerTimeout) throw overloaded(TOO_SLOW);
  if (error instanceof GatewayError && error.code === 'overloaded') throw overloaded(TOO_MANY);
  throw unavailable(error);
}

const overloaded = (message: string): GatewayError =>
  new GatewayError('overloaded', message, { details: { retryAfterSeconds: 1 } });

const unavailable = (cause: unknown): GatewayError =>
  new GatewayError('unavailable', 'The audit log cannot be searched; retry in a moment.', {
    cause,
  });

/** Builds queries of the audit log, and runs them where they do not block the event loop. */
export interface AuditQueries {
  /** Only builds queries. */
  readonly db: Kysely<Tables>;
  /** Rejects with GatewayError `unavailable`, and with `overloaded` while too many queries wait. */
  run<Row>(query: Compilable<Row>): Promise<readonly Row[]>;
}

/** Without `search`, `db` runs the queries itself. */
export function createAuditQueries(db: Kysely<Tables>, search?: AuditSearch['run']): AuditQueries {
  return {
    db,
    run: <Row>(query: Compilable<Row>) =>
      runQuery(async () => {
        const compiled = query.compile();
        return search ? search(compiled) : (await db.executeQuery(compiled)).rows;
      }),
  };
}
