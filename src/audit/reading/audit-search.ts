import type { SQLInputValue } from 'node:sqlite';
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import pg from 'pg';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  createWorkerQueue,
  WorkerTimeout,
  workerScript,
} from '../../platform/kernel/worker-queue.ts';
import type { SealedRecords } from '../seals/seal.ts';
import type { HashJob, SearchJob, SearchResult } from './audit-search-worker.ts';

/** A page is about 1 MiB. A query that needs more memory ends the thread, not the process. */
const THREAD = {
  script: workerScript('./audit-search-worker', import.meta.url),
  maxHeapMib: 128,
  maxWaiting: 32,
  /** Those of one tenant; tenants take turns. */
  maxWaitingPerLane: 16,
  /** Includes the wait. */
  jobTimeoutMs: 10_000,
  countsWaiting: true,
  /** Longer than from one seal to the next. */
  idleMs: 90_000,
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
    run: async <Row>(
      { sql, parameters }: CompiledQuery<Row>,
      tenantId = '',
    ): Promise<readonly Row[]> => {
      const job: SearchJob = { sql, parameters: parameters as readonly SQLInputValue[] };
      const result = await queue.run(() => ({ value: job }), tenantId).catch(refuse);
      if ('rows' in result) return result.rows as Row[];
      throw unavailable('error' in result ? result.error : undefined);
    },
    /** Hashes the records after one `n` and up to another. Rejects as `run` does. */
    hash: async (after: number, upTo: number): Promise<SealedRecords> => {
      const job: HashJob = { after, upTo };
      const result = await queue.run(() => ({ value: job }), SEALER).catch(refuse);
      if ('count' in result) return result;
      throw unavailable('error' in result ? result.error : undefined);
    },
    close: queue.close,
  };
}

/** The lane of seals; others are named by tenants. */
const SEALER = 'seals';

const TOO_MANY = 'Too many audit searches are waiting; retry in a moment.';
const TOO_SLOW = 'The audit search took too long; narrow it with `from` and `to`.';

function refuse(error: unknown): never {
  if (error instanceof WorkerTimeout) throw overloaded(TOO_SLOW);
  if (error instanceof GatewayError && error.code === 'overloaded') throw overloaded(TOO_MANY);
  throw unavailable(error);
}

/** PostgreSQL has cancelled the statement after the time that the pool allows. */
function refuseSlow(error: unknown): never {
  throw error instanceof pg.DatabaseError && error.code === '57014' ? overloaded(TOO_SLOW) : error;
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

/** Without `search`, `db` runs the queries itself. Null = for an operator, about all tenants. */
export function createAuditQueries(
  db: Kysely<Tables>,
  search?: AuditSearch['run'],
  tenantId: string | null = null,
): AuditQueries {
  return {
    db,
    run: <Row>(query: Compilable<Row>) =>
      runQuery(async () => {
        const compiled = query.compile();
        if (search) return search(compiled, tenantId ?? '');
        const { rows } = await db.executeQuery(compiled).catch(refuseSlow);
        return rows;
      }),
  };
}
