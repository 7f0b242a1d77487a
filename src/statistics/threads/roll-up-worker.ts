import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { MINUTES_KEPT_MS, STEPS } from '../tally/steps.ts';
import { countOldRecords, countWaiting, hasWaiting } from '../writing/count-waiting.ts';
import type { RecentRecords } from '../writing/recent-records.ts';
import { createRollUpBatch } from '../writing/roll-up-batch.ts';
import { trimStatistics, trimWaiting } from '../writing/trim-statistics.ts';
import { openThreadDatabase } from './thread-database.ts';

/** What the thread is asked to do. */
export interface RollUpJob {
  readonly kind: 'roll-up' | 'trim';
  readonly nowMs: number;
  /** The newest records, which need not be read. */
  readonly recent?: RecentRecords | undefined;
}

/** Whether something is left to do, or the reason for the log why it failed. */
export type RollUpResult = { readonly hasMore: boolean } | { readonly error: string };

/** The pages between two checkpoints: as many as the ledger's connection allows. */
const CHECKPOINT_PAGES = 4000;
/** A job ends after this long, so that closing does not wait. */
const JOB_MS = 200;
/** The write lock stays free for this many times as long as a batch took. */
const FREE_FACTOR = 2;

const { db, file } = openThreadDatabase(workerData, false);

/** Counts some records, or deletes some rows. */
const work = file ? embeddedWork(file) : postgresWork;

function embeddedWork(own: DatabaseSync) {
  own.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA synchronous = NORMAL`);
  const batches = STEPS.map((step) => createRollUpBatch(own, step));
  return async (fromMs: number, recent?: RecentRecords): Promise<boolean> => {
    let hasMore = false;
    for (const batch of batches) {
      const counted = batch(fromMs, recent);
      hasMore ||= counted.hasMore;
      await sleep(counted.lockedMs * FREE_FACTOR);
    }
    return hasMore;
  };
}

async function postgresWork(fromMs: number): Promise<boolean> {
  if (!(await hasWaiting(db))) return false;
  const shipped = await countWaiting(db, fromMs);
  const old = await countOldRecords(db, fromMs);
  return shipped.hasMore || old.hasMore;
}

async function trim(nowMs: number): Promise<boolean> {
  if ((await trimStatistics(db, nowMs)) > 0) return true;
  return !file && (await trimWaiting(db)) > 0;
}

async function run({ kind, nowMs, recent }: RollUpJob): Promise<RollUpResult> {
  const untilMs = performance.now() + JOB_MS;
  let hasMore = true;
  while (hasMore && performance.now() < untilMs) {
    hasMore = kind === 'roll-up' ? await work(nowMs - MINUTES_KEPT_MS, recent) : await trim(nowMs);
  }
  return { hasMore };
}

parentPort?.on('message', (job: RollUpJob) => {
  void run(job)
    .catch((error: unknown): RollUpResult => ({ error: String(error) }))
    .then((result) => parentPort?.postMessage(result));
});
