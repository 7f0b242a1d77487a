import type { SQLInputValue } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createWorkerQueue, WorkerTimeout } from '../../platform/kernel/worker-queue.ts';
import { workerScript } from '../../platform/kernel/worker-script.ts';
import type { SearchJob, SearchResult } from './audit-search-worker.ts';

/** Reads `audit.db` on its own thread, one query at a time, because a filter may scan every record. */
export interface AuditSearch extends Closeable {
  /** Rejects with GatewayError `overloaded` if too many queries wait or one takes too long, else with `unavailable`. */
  readonly run: <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;
}

export interface AuditSearchOptions {
  /** The SQLite file, which must exist. */
  readonly path: string;
  /** How many queries may wait for the running one. */
  readonly maxWaiting: number;
  /** How long a query may take, including its wait. */
  readonly timeoutMs: number;
  /** The thread ends after this long without work. */
  readonly idleMs: number;
}

const WORKER = workerScript('./audit-search-worker', import.meta.url);

/** A page is about 1 MiB. A query that needs more memory ends the thread, not the process. */
const MAX_HEAP_MIB = 128;

/** The thread starts with the first query. */
export function createAuditSearch(options: AuditSearchOptions): AuditSearch {
  const { path, maxWaiting, timeoutMs, idleMs } = options;
  const queue = createWorkerQueue<SearchResult>({
    script: WORKER,
    workerData: path,
    maxHeapMib: MAX_HEAP_MIB,
    maxWaiting,
    jobTimeoutMs: timeoutMs,
    countsWaiting: true,
    idleMs,
  });
  return {
    run: async <Row>({ sql, parameters }: CompiledQuery<Row>) => {
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
