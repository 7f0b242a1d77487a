import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';
import { createStatisticsReader } from '../reading/statistics-reader.ts';
import type { StatisticsReader } from '../statistics.ts';
import { openThreadDatabase } from './thread-database.ts';

/** A question for the thread. */
export interface ReadJob {
  readonly method: keyof StatisticsReader;
  readonly args: readonly unknown[];
  readonly nowMs: number;
}

/** Its answer; or the error, with a cause for the log. */
export type ReadResult =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string; readonly cause: string };

const { db } = openThreadDatabase(workerData, true);
let nowMs = 0;
const reader = createStatisticsReader({ db, clock: { now: () => nowMs } });

async function resultOf(job: ReadJob): Promise<ReadResult> {
  nowMs = job.nowMs;
  try {
    const method = reader[job.method] as (...args: readonly unknown[]) => Promise<unknown>;
    return { value: await method(...job.args) };
  } catch (error) {
    const { code, message } = error instanceof GatewayError ? error : new GatewayError('internal');
    const cause = error instanceof Error ? error.cause : error;
    return { code, message, cause: String(cause) };
  }
}

parentPort?.on('message', (job: ReadJob) => {
  void resultOf(job).then((result) => parentPort?.postMessage(result));
});
