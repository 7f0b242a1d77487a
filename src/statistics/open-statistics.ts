import { join } from 'node:path';
import { AUDIT_FILE_NAME } from '../audit/record/audit-file.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { repeat } from '../platform/kernel/repeat.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { createWorkerQueue } from '../platform/kernel/worker-queue.ts';
import { workerScript } from '../platform/kernel/worker-script.ts';
import type { RecentCounter, RecentRecords } from './cells.ts';
import type { StatisticsReader } from './statistics-reader.ts';
import type { ThreadJob, ThreadResult, ThreadSource } from './statistics-worker.ts';

const INTERVAL_MS = 3000;
const TRIM_INTERVAL_MS = 600_000;
const AFTER_FAILURE_MS = 10_000;
const WORK_TIMEOUT_MS = 30_000;

/** 32 questions wait at most 10 s; work takes turns with them. */
const THREAD = {
  script: workerScript('./statistics-worker', import.meta.url),
  maxWaiting: 36,
  maxWaitingPerLane: 32,
  jobTimeoutMs: 10_000,
  countsWaiting: true,
  idleMs: 60_000,
  /** An answer is below 1 MB, and the rows for it below 20. */
  maxHeapMib: 128,
};

/** Figures of the calls of this gateway and all others with the same database (docs/statistics.md). */
export type Statistics = ReturnType<typeof openStatistics>;

export interface StatisticsDeps {
  /** If unset, `audit.db` in `dataDir` is used, which must have been opened. */
  readonly databaseUrl?: Secret | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  /** Embedded, counts the records that this gateway commits. On PostgreSQL, those of other gateways wait too. */
  readonly recent: Pick<RecentCounter, 'take'>;
  /** Called when records could not be counted, or old rows not deleted. It is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Opens the statistics, which are counted and read on a thread with a connection of its own. */
export function openStatistics(deps: StatisticsDeps) {
  const { databaseUrl, dataDir, clock, recent } = deps;
  const workerData: ThreadSource = databaseUrl
    ? { url: databaseUrl.reveal() }
    : { path: join(dataDir, AUDIT_FILE_NAME) };
  const queue = createWorkerQueue<ThreadResult>({ ...THREAD, workerData });

  const send = (method: ThreadJob['method'], args: readonly unknown[], timeoutMs?: number) => {
    const message = (): { value: ThreadJob } => ({ value: { method, args, nowMs: clock.now() } });
    return queue.run(message, timeoutMs ? 'work' : 'questions', timeoutMs);
  };
  const ask = <Method extends keyof StatisticsReader>(method: Method) =>
    (async (...args: readonly unknown[]) =>
      answerOf(await send(method, args).catch(refuse))) as StatisticsReader[Method];
  const runAll = async (method: 'count' | 'trim', recent?: RecentRecords): Promise<void> => {
    while (answerOf<boolean>(await send(method, [recent], WORK_TIMEOUT_MS)));
  };
  const stopUpdates = startUpdates(deps, runAll);
  return {
    keyUsage: ask('keyUsage'),
    toolSummary: ask('toolSummary'),
    prefixCalls: ask('prefixCalls'),
    lastGood: ask('lastGood'),
    people: ask('people'),
    series: ask('series'),
    totals: ask('totals'),
    /** Resolves once all records that exist now are counted; those in an outbox are counted once they are shipped. */
    flush: (): Promise<void> => runAll('count', recent.take()),
    close: async (): Promise<void> => {
      stopUpdates();
      await queue.close();
    },
  };
}

/** Counts records every few seconds, and deletes old rows every few minutes. Returns what stops it. */
function startUpdates(
  { databaseUrl, recent, onError }: StatisticsDeps,
  runAll: (method: 'count' | 'trim', recent?: RecentRecords) => Promise<void>,
): () => void {
  let trimmedMs = Number.NEGATIVE_INFINITY;
  let pauseMs = INTERVAL_MS;
  /** Whether there may be records that nobody hands over: those of other gateways, or from before a start or a failure. */
  let mayBeBehind = true;
  let isStopped = false;

  const turn = async (): Promise<void> => {
    try {
      // First, so that old rows are deleted even while counting fails.
      if (performance.now() - trimmedMs > TRIM_INTERVAL_MS) {
        await runAll('trim');
        trimmedMs = performance.now();
      }
      const taken = recent.take();
      if (taken || mayBeBehind) await runAll('count', taken);
      mayBeBehind = databaseUrl !== undefined;
      pauseMs = INTERVAL_MS;
    } catch (error) {
      mayBeBehind = true;
      pauseMs = AFTER_FAILURE_MS;
      if (!isStopped) onError(error);
    }
  };
  const stop = repeat(turn, () => pauseMs);
  return () => {
    isStopped = true;
    stop();
  };
}

function answerOf<Answer>(result: ThreadResult): Answer {
  if ('value' in result) return result.value as Answer;
  const { code, message, cause } = result;
  throw new GatewayError(code, message, {
    cause: Object.assign(new Error(cause.text), { code: cause.code }),
  });
}

function refuse(cause: unknown): never {
  throw new GatewayError('overloaded', 'Statistics cannot be read now; retry in a moment.', {
    cause,
    details: { retryAfterSeconds: 1 },
  });
}
