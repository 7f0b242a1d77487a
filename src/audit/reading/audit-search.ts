import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { SearchJob, SearchResult } from './audit-search-worker.ts';

/** Reads `audit.db` on a thread of its own, one query after another, since a filter may look at every record. */
export interface AuditSearch extends Closeable {
  /** Rejects with GatewayError `overloaded` when too many queries wait or one takes too long, else `unavailable`. */
  readonly run: <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;
}

export interface AuditSearchOptions {
  /** Of the SQLite file, which exists already. */
  readonly path: string;
  /** Queries that may wait for the one that runs; 32 unless said. */
  readonly maxWaiting?: number;
  /** How long a query may take with its waiting, in milliseconds; 10 s unless said. */
  readonly timeoutMs?: number;
  /** The thread ends after this long without work, in milliseconds; 30 s unless said. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly job: SearchJob;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: GatewayError) => void;
}

// From source the worker is TypeScript; compiled, it is the JavaScript beside this file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './audit-search-worker.ts' : './audit-search-worker.js',
  import.meta.url,
);

/** A page holds about a mebibyte; what needs more ends the thread, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128 };

/** The thread starts with the first query. */
export function createAuditSearch(options: AuditSearchOptions): AuditSearch {
  const { path, maxWaiting = 32, timeoutMs = 10_000, idleMs = 30_000 } = options;
  let queue: Waiting[] = [];
  let running: Waiting | undefined;
  let worker: Worker | undefined;
  /** Set until a thread that was given up has ended: SQLite is not interrupted, and there is never a second thread. */
  let ending: Promise<void> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let closed = false;

  const next = (): void => {
    if (running || ending) return;
    running = queue.shift();
    clearTimeout(idleTimer);
    if (!running) {
      rest();
      return;
    }
    worker ??= start();
    worker.ref();
    worker.postMessage(running.job);
  };

  /** Without work the thread must not keep the process alive. */
  const rest = (): void => {
    if (!worker) return;
    worker.unref();
    idleTimer = setTimeout(endThread, idleMs).unref();
  };

  const endThread = (): void => {
    if (!worker) return;
    const ended = worker;
    worker = undefined;
    ending = ended.terminate().then(() => {
      ending = undefined;
      next();
    });
  };

  const settle = (result: SearchResult): void => {
    const done = running;
    if (!done) return; // a last word of a thread that was given up
    running = undefined;
    clearTimeout(done.timer);
    if ('rows' in result) done.resolve(result.rows);
    else done.reject(unavailable(result.fault));
    next();
  };

  const start = (): Worker => {
    const started = new Worker(WORKER, {
      workerData: path,
      env: {},
      execArgv: [],
      resourceLimits: RESOURCE_LIMITS,
    });
    const isCurrent = () => started === worker;
    started.on('message', (result: SearchResult) => isCurrent() && settle(result));
    started.on('error', (cause) => {
      if (!isCurrent()) return;
      worker = undefined;
      settle({ fault: String(cause) });
    });
    return started;
  };

  const giveUp = (waiting: Waiting): void => {
    waiting.reject(new GatewayError('overloaded', TOO_SLOW, RETRY_SOON));
    queue = queue.filter((other) => other !== waiting);
    if (running !== waiting) return;
    running = undefined;
    endThread();
  };

  const enqueue = (job: SearchJob): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => giveUp(waiting), timeoutMs);
      const waiting: Waiting = { job, timer, resolve, reject };
      queue.push(waiting);
      next();
    });

  return {
    run: async <Row>({ sql, parameters }: CompiledQuery<Row>) => {
      if (closed) throw unavailable('closed');
      if (queue.length >= maxWaiting) throw new GatewayError('overloaded', TOO_MANY, RETRY_SOON);
      const rows = await enqueue({ sql, parameters: parameters as readonly SQLInputValue[] });
      return rows as Row[];
    },
    close: async () => {
      closed = true;
      clearTimeout(idleTimer);
      const left = running ? [running, ...queue] : queue;
      [queue, running] = [[], undefined];
      for (const { timer, reject } of left) {
        clearTimeout(timer);
        reject(unavailable('closed'));
      }
      endThread();
      await ending;
    },
  };
}

const TOO_MANY = 'Too many audit searches are waiting; retry in a moment.';
const TOO_SLOW = 'The audit search took too long; narrow it by `from` and `to`.';
const RETRY_SOON = { details: { retryAfterSeconds: 1 } };

const unavailable = (cause: string): GatewayError =>
  new GatewayError('unavailable', 'The audit log cannot be searched; retry in a moment.', {
    cause,
  });
