import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUDIT_FILE_NAME } from '../audit/record/audit-file.ts';
import type { AuditRecordsTable } from '../platform/database/tables.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { type Clock, repeat } from '../platform/kernel/time.ts';
import { createWorkerQueue, workerScript } from '../platform/kernel/worker-queue.ts';
import { type Cell, createCells } from './cells.ts';
import { createRefusals, type RefusalCell } from './refusals.ts';
import type { StatisticsReader } from './statistics-reader.ts';
import type { ThreadJob, ThreadResult, ThreadSource } from './statistics-worker.ts';

const INTERVAL_MS = 3000;
const TRIM_INTERVAL_MS = 600_000;
const WORK_TIMEOUT_MS = 30_000;
/** How long a stop waits for the last write. */
const STOP_MS = 2000;
/** Cells of one statement, which holds the write lock of `audit.db` for some 5 ms: a commit of calls may have to wait for it. */
const CELLS_AT_ONCE = 50;

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
  /** If unset, `audit.db` in `dataDir` is used, which must exist before the first question. */
  readonly databaseUrl?: Secret | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  /** Called when figures could not be written, or old rows not deleted. It is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens the statistics. Calls are counted in memory, and written and read on a thread with a connection of its own. `close`
 * writes what has been counted.
 */
export function openStatistics(deps: StatisticsDeps) {
  const { onError } = deps;
  const thread = openThread(deps);
  const cells = createCells();
  const refusals = createRefusals(deps.clock);
  let isClosing = false;
  let writing = Promise.resolve();

  const writeCells = async (): Promise<void> => {
    await writeAll(cells, thread.add);
    await writeAll(refusals, thread.addRefusals);
  };
  /** Once the write in progress has ended: what that one could not write is written with the rest. */
  const flush = (): Promise<void> => {
    const next = writing.then(writeCells);
    writing = next.catch(() => undefined);
    return next;
  };
  const trim = async (): Promise<void> => {
    while (await thread.trim());
  };
  const every = (intervalMs: number, work: () => Promise<void>) => {
    const report = (error: unknown): void => {
      if (!isClosing) onError(error);
    };
    return repeat(
      () => work().catch(report),
      () => intervalMs,
      INTERVAL_MS,
    );
  };
  const stops = [every(INTERVAL_MS, flush), every(TRIM_INTERVAL_MS, trim)];
  return {
    ...thread.reader,
    /** Counts calls whose records have been committed. */
    count: (records: readonly AuditRecordsTable[]): void => {
      for (const record of records) cells.add(record);
    },
    /** Counts requests that were refused before they had a record. */
    refused: refusals.count,
    /** How many since the start, by reason. */
    refusedTotals: refusals.totals,
    /** Resolves once all that was counted is written. */
    flush,
    close: async (): Promise<void> => {
      isClosing = true;
      for (const stop of stops) stop();
      await Promise.race([flush().catch(onError), sleep(STOP_MS, undefined, { ref: false })]);
      await thread.close();
    },
  };
}

interface Waiting<Cell> {
  readonly take: () => readonly Cell[];
  readonly putBack: (cells: readonly Cell[]) => void;
}

/** Writes what waits, some cells at a time. What could not be written waits again. */
async function writeAll<Cell>(
  { take, putBack }: Waiting<Cell>,
  write: (cells: readonly Cell[]) => Promise<unknown>,
): Promise<void> {
  let waiting = take();
  try {
    for (; waiting.length > 0; waiting = waiting.slice(CELLS_AT_ONCE)) {
      await write(waiting.slice(0, CELLS_AT_ONCE));
    }
  } finally {
    putBack(waiting);
  }
}

/** The thread that reads and writes. It starts with the first job. */
function openThread({ databaseUrl, dataDir, clock }: StatisticsDeps) {
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
  return {
    reader: {
      keyUsage: ask('keyUsage'),
      toolSummary: ask('toolSummary'),
      prefixCalls: ask('prefixCalls'),
      lastGood: ask('lastGood'),
      people: ask('people'),
      series: ask('series'),
      totals: ask('totals'),
      refusals: ask('refusals'),
      tenantUsage: ask('tenantUsage'),
      failingTenants: ask('failingTenants'),
    },
    add: async (cells: readonly Cell[]) => answerOf(await send('add', [cells], WORK_TIMEOUT_MS)),
    addRefusals: async (cells: readonly RefusalCell[]) =>
      answerOf(await send('addRefusals', [cells], WORK_TIMEOUT_MS)),
    /** Whether more old rows are left. */
    trim: async () => answerOf<boolean>(await send('trim', [], WORK_TIMEOUT_MS)),
    close: queue.close,
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
