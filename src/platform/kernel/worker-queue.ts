import type { Closeable } from './closeable.ts';
import { GatewayError } from './error.ts';
import {
  createWorkerThread,
  type WorkerMessage,
  type WorkerThreadOptions,
} from './worker-thread.ts';

export interface WorkerQueueOptions extends WorkerThreadOptions {
  /** Jobs that may wait. One more is refused with `overloaded`. */
  readonly maxWaiting: number;
  /** A job that takes longer ends with the thread, in milliseconds. */
  readonly jobTimeoutMs: number;
  /** Whether waiting counts towards the time of a job; false by default. */
  readonly countsWaiting?: boolean;
}

/** Runs jobs one after another on a separate thread, which starts with the first one. */
export interface WorkerQueue<Result> extends Closeable {
  /**
   * Rejects with what `message` throws, with `overloaded` when too many jobs wait, with `unavailable` once closed, with
   * WorkerTimeout, and with WorkerFailure for a job that the thread did not survive. The jobs behind it continue.
   * `message` is called when the turn of the job has come, so that waiting jobs hold no copies.
   */
  run(message: () => WorkerMessage): Promise<Result>;
}

/** The thread did not survive the job. */
export class WorkerFailure extends Error {}

/** The job took too long. */
export class WorkerTimeout extends WorkerFailure {}

interface Job<Result> {
  readonly message: () => WorkerMessage;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
}

export function createWorkerQueue<Result>(options: WorkerQueueOptions): WorkerQueue<Result> {
  const { jobTimeoutMs, countsWaiting = false } = options;
  const waiting: Job<Result>[] = [];
  let current: Job<Result> | undefined;
  let closed = false;
  const thread = createWorkerThread<Result>(options, {
    onResult: (result) => settle((job) => job.resolve(result)),
    onError: (cause) => fail(new WorkerFailure('The worker thread ended.', { cause })),
    onEnded: next,
  });

  /** Fails the current job and ends its thread, which is of no further use. */
  function fail(failure: WorkerFailure): void {
    thread.stop();
    settle((job) => job.reject(failure));
  }

  function settle(how: (job: Job<Result>) => void): void {
    const job = current;
    current = undefined;
    clearTimeout(job?.timer);
    if (job) how(job);
    next();
  }

  function expire(job: Job<Result>): void {
    const failure = new WorkerTimeout('The job took too long.');
    if (job === current) fail(failure);
    else {
      waiting.splice(waiting.indexOf(job), 1);
      job.reject(failure);
    }
  }

  function startTimer(job: Job<Result>): void {
    job.timer = setTimeout(expire, jobTimeoutMs, job);
  }

  function next(): void {
    if (current || thread.ending || closed) return;
    thread.stayAwake();
    const job = waiting.shift();
    if (job) start(job);
    else thread.rest();
  }

  function start(job: Job<Result>): void {
    current = job;
    try {
      thread.send(job.message());
      if (!countsWaiting) startTimer(job);
    } catch (error) {
      settle(() => job.reject(error));
    }
  }

  return {
    run: (message) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new GatewayError('unavailable'));
        if (waiting.length >= options.maxWaiting) return reject(new GatewayError('overloaded'));
        const job = { message, resolve, reject };
        waiting.push(job);
        if (countsWaiting) startTimer(job);
        next();
      }),
    close: async () => {
      closed = true;
      rejectAll([...(current ? [current] : []), ...waiting.splice(0)]);
      current = undefined;
      thread.stop();
      await thread.ending;
    },
  };
}

function rejectAll(jobs: readonly Job<never>[]): void {
  for (const job of jobs) {
    clearTimeout(job.timer);
    job.reject(new GatewayError('unavailable'));
  }
}
