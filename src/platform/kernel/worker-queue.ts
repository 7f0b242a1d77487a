import { type Transferable, Worker } from 'node:worker_threads';
import type { Closeable } from './closeable.ts';
import { GatewayError } from './error.ts';

export interface WorkerQueueOptions {
  /** The thread's own file. It answers every message with one message. */
  readonly script: URL;
  /** The thread ends after this long without work, in milliseconds. */
  readonly idleMs: number;
  /** V8's heap on the thread; a job that needs more ends the thread, not the process. */
  readonly maxHeapMib: number;
  /** Jobs that may wait; one more is refused with `overloaded`. */
  readonly maxWaiting: number;
  /** A job that takes longer ends with the thread, in milliseconds. */
  readonly jobTimeoutMs: number;
}

/** What is sent to the thread; made when the job's turn has come, so that waiting jobs hold no copies. */
export interface WorkerMessage {
  readonly value: unknown;
  readonly transfer?: readonly Transferable[];
}

/** Runs jobs one after another on a thread of their own, which starts with the first one. */
export interface WorkerQueue<Result> extends Closeable {
  /**
   * Rejects with what `message` throws, with `overloaded` when too many jobs wait, with `unavailable` once closed, and
   * with WorkerFailure for a job that the thread did not survive; the jobs behind it go on.
   */
  run(message: () => WorkerMessage): Promise<Result>;
}

/** The thread died of a job, or the job took too long. */
export class WorkerFailure extends Error {}

interface Job<Result> {
  readonly message: () => WorkerMessage;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createWorkerQueue<Result>(options: WorkerQueueOptions): WorkerQueue<Result> {
  const waiting: Job<Result>[] = [];
  let current: Job<Result> | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** Without work the thread must not keep the process alive; with work it must, or a result would be lost. */
  function rest(): void {
    worker?.unref();
    timer = setTimeout(() => void drop(), options.idleMs).unref();
  }

  async function drop(): Promise<void> {
    const dropped = worker;
    worker = undefined;
    clearTimeout(timer);
    await dropped?.terminate();
  }

  function start(): Worker {
    const started = new Worker(options.script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMib },
    });
    started.on('message', (result: Result) => {
      if (started === worker) settle((job) => job.resolve(result));
    });
    started.on('error', (cause) => {
      if (started === worker) fail('The worker thread ended.', cause);
    });
    return started;
  }

  function fail(reason: string, cause?: unknown): void {
    void drop();
    settle((job) => job.reject(new WorkerFailure(reason, { cause })));
  }

  function settle(how: (job: Job<Result>) => void): void {
    const job = current;
    current = undefined;
    clearTimeout(timer);
    if (job) how(job);
    next();
  }

  function next(): void {
    if (current || closed) return;
    clearTimeout(timer);
    const job = waiting.shift();
    if (job) begin(job);
    else rest();
  }

  function begin(job: Job<Result>): void {
    current = job;
    try {
      const { value, transfer = [] } = job.message();
      worker ??= start();
      worker.ref();
      worker.postMessage(value, transfer);
      timer = setTimeout(() => fail('The job took too long.'), options.jobTimeoutMs);
    } catch (error) {
      settle(() => job.reject(error));
    }
  }

  return {
    run: (message) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new GatewayError('unavailable'));
        if (waiting.length >= options.maxWaiting) return reject(new GatewayError('overloaded'));
        waiting.push({ message, resolve, reject });
        next();
      }),
    close: async () => {
      closed = true;
      current?.reject(new GatewayError('unavailable'));
      current = undefined;
      for (const job of waiting.splice(0)) job.reject(new GatewayError('unavailable'));
      await drop();
    },
  };
}
