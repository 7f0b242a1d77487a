import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createWorkerQueue } from '../../platform/kernel/worker-queue.ts';
import { workerScript } from '../../platform/kernel/worker-script.ts';
import type { StatisticsReader } from '../statistics.ts';
import type { ReadJob, ReadResult } from './reader-worker.ts';
import type { ThreadSource } from './thread-database.ts';

const WORKER = workerScript('./reader-worker', import.meta.url);

export interface ThreadedReaderOptions {
  readonly source: ThreadSource;
  readonly clock: Clock;
  /** How many questions may wait for the current one. */
  readonly maxWaiting: number;
  /** How long an answer may take, including the wait. */
  readonly timeoutMs: number;
  /** The thread ends after this long without work. */
  readonly idleMs: number;
}

/** A thread with a heap of its own: an answer is below 1 MB, and the rows for it below 20. */
const MAX_HEAP_MIB = 128;

/** Reads statistics on a thread with a connection of its own, one question at a time. */
export function createThreadedReader(options: ThreadedReaderOptions): StatisticsReader & Closeable {
  const { source, clock, maxWaiting, timeoutMs, idleMs } = options;
  const queue = createWorkerQueue<ReadResult>({
    script: WORKER,
    workerData: source,
    maxHeapMib: MAX_HEAP_MIB,
    maxWaiting,
    jobTimeoutMs: timeoutMs,
    countsWaiting: true,
    idleMs,
  });
  const ask =
    <Args extends unknown[], Answer>(method: ReadJob['method']) =>
    async (...args: Args): Promise<Answer> => {
      const job: ReadJob = { method, args, nowMs: clock.now() };
      const result = await queue.run(() => ({ value: job })).catch(refuse);
      if ('value' in result) return result.value as Answer;
      throw new GatewayError(result.code, result.message, { cause: result.cause });
    };
  return {
    keyUsage: ask('keyUsage'),
    toolSummary: ask('toolSummary'),
    prefixCalls: ask('prefixCalls'),
    series: ask('series'),
    totals: ask('totals'),
    providerQuota: ask('providerQuota'),
    close: queue.close,
  };
}

function refuse(cause: unknown): never {
  throw new GatewayError('overloaded', 'Statistics cannot be read now; retry in a moment.', {
    cause,
    details: { retryAfterSeconds: 1 },
  });
}
