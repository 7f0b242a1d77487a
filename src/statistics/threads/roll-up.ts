import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import { createWorkerQueue } from '../../platform/kernel/worker-queue.ts';
import { workerScript } from '../../platform/kernel/worker-script.ts';
import type { RecentRecords } from '../writing/recent-records.ts';
import type { RollUpJob, RollUpResult } from './roll-up-worker.ts';
import type { ThreadSource } from './thread-database.ts';

const INTERVAL_MS = 3000;
const TRIM_INTERVAL_MS = 600_000;
const AFTER_FAILURE_MS = 10_000;
const BOUNDS = { maxWaiting: 4, jobTimeoutMs: 30_000, idleMs: 60_000, maxHeapMib: 64 };
const WORKER = workerScript('./roll-up-worker', import.meta.url);

export interface RollUpDeps {
  readonly source: ThreadSource;
  readonly clock: Clock;
  /** Changes with every record, so that nothing happens while no calls are made; NaN if that is not known. */
  readonly recordCount: () => number;
  /** The records that this process committed last; undefined where they must be read. */
  readonly takeRecent: () => RecentRecords | undefined;
  readonly onError: (error: unknown) => void;
}

/** Counts records on a thread with a connection of its own, and deletes old rows. */
export interface RollUp extends Closeable {
  /** Resolves once all records that exist now have been counted. */
  flush(): Promise<void>;
}

export function startRollUp(deps: RollUpDeps): RollUp {
  const { source, clock, recordCount, takeRecent, onError } = deps;
  const queue = createWorkerQueue<RollUpResult>({ ...BOUNDS, script: WORKER, workerData: source });
  let counted = -1;
  let trimmedMs = Number.NEGATIVE_INFINITY;
  let pauseMs = INTERVAL_MS;

  const runAll = async (kind: RollUpJob['kind'], recent?: RecentRecords): Promise<void> => {
    for (let hasMore = true; hasMore; ) {
      const job: RollUpJob = { kind, nowMs: clock.now(), recent };
      const result = await queue.run(() => ({ value: job }));
      if ('error' in result) throw new GatewayError('internal', undefined, { cause: result.error });
      hasMore = result.hasMore;
    }
  };
  const flush = async (): Promise<void> => {
    const count = recordCount();
    await runAll('roll-up', takeRecent());
    counted = count;
  };
  const turn = async (): Promise<void> => {
    try {
      // First, so that old rows are deleted even while counting fails.
      if (performance.now() - trimmedMs > TRIM_INTERVAL_MS) {
        await runAll('trim');
        trimmedMs = performance.now();
      }
      if (recordCount() !== counted) await flush();
      pauseMs = INTERVAL_MS;
    } catch (error) {
      pauseMs = AFTER_FAILURE_MS;
      if (!closed) onError(error);
    }
  };
  const stop = repeat(turn, () => pauseMs);
  let closed = false;
  return {
    flush,
    close: async () => {
      closed = true;
      stop();
      await queue.close();
    },
  };
}
