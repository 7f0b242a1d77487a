import { type Transferable, Worker } from 'node:worker_threads';
import type { Awaitable } from './awaitable.ts';
import type { Closeable } from './closing.ts';
import { GatewayError } from './error.ts';
import { createTurnQueue } from './turn-queue.ts';

export interface WorkerQueueOptions {
  /** The thread's own file. It replies to every message with one message. */
  readonly script: URL;
  /** The thread ends after this long without work, in milliseconds. */
  readonly idleMs: number;
  /** V8's heap on the thread. A job that needs more ends the thread, not the process. */
  readonly maxHeapMib: number;
  /** Passed to the thread when it starts. */
  readonly workerData?: unknown;
  /** Jobs that may wait. One more is refused with `overloaded`. */
  readonly maxWaiting: number;
  /** Of these, in one lane; all of them by default. */
  readonly maxWaitingPerLane?: number;
  /** A job that takes longer ends with the thread, in milliseconds. */
  readonly jobTimeoutMs: number;
  /** Whether waiting counts towards the time of a job; false by default. */
  readonly countsWaiting?: boolean;
}

/** What is sent to the thread. */
interface WorkerMessage {
  readonly value: unknown;
  readonly transfer?: readonly Transferable[];
}

/** Runs jobs one after another on a separate thread, which starts with the first one. Lanes with waiting jobs take turns. */
export interface WorkerQueue<Result> extends Closeable {
  /**
   * Rejects with what `message` throws, with `overloaded` when too many jobs wait, with `unavailable` once closed, with
   * WorkerTimeout, and with WorkerFailure for a job that the thread did not survive. The jobs behind it continue.
   * `message` is called when the turn of the job has come, so that waiting jobs hold no copies; its time counts.
   *
   * The jobs of one lane keep their order. A lane is named by the id of a tenant, so that no tenant delays the others by more
   * than one job at a time. `timeoutMs` takes the place of `jobTimeoutMs`.
   */
  run(message: () => Awaitable<WorkerMessage>, lane?: string, timeoutMs?: number): Promise<Result>;
}

/** The thread did not survive the job. */
export class WorkerFailure extends Error {}

/** The job took too long. */
export class WorkerTimeout extends WorkerFailure {}

interface Job<Result> {
  readonly lane: string;
  readonly message: () => Awaitable<WorkerMessage>;
  readonly timeoutMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
}

export function createWorkerQueue<Result>(options: WorkerQueueOptions): WorkerQueue<Result> {
  const { jobTimeoutMs, countsWaiting = false } = options;
  const waiting = createWaitingJobs<Result>(options);
  let current: Job<Result> | undefined;
  let closed = false;
  const thread = createWorkerThread<Result>(options, {
    onResult: (result) => finishJob((job) => job.resolve(result)),
    onError: (cause) => fail(new WorkerFailure('The worker thread ended.', { cause })),
    onEnded: next,
  });

  /** Fails the current job and ends its thread, which is of no further use. */
  function fail(failure: WorkerFailure): void {
    thread.stop();
    finishJob((job) => job.reject(failure));
  }

  function finishJob(how: (job: Job<Result>) => void): void {
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
      waiting.remove(job);
      job.reject(failure);
    }
  }

  function startTimer(job: Job<Result>): void {
    job.timer = setTimeout(expire, job.timeoutMs, job);
  }

  function next(): void {
    if (current || thread.ending || closed) return;
    thread.stayAwake();
    const job = waiting.next();
    if (job) start(job);
    else thread.rest();
  }

  function start(job: Job<Result>): void {
    current = job;
    if (!countsWaiting) startTimer(job);
    const refuse = (error: unknown): void => {
      if (job === current) finishJob(() => job.reject(error));
    };
    const send = (message: WorkerMessage): void => {
      if (job === current) thread.send(message);
    };
    try {
      const message = job.message();
      if (message instanceof Promise) message.then(send).catch(refuse);
      else send(message);
    } catch (error) {
      refuse(error);
    }
  }

  return {
    run: (message, lane = '', timeoutMs = jobTimeoutMs) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new GatewayError('unavailable'));
        const job: Job<Result> = { lane, message, timeoutMs, resolve, reject };
        if (!waiting.add(job)) return reject(new GatewayError('overloaded'));
        if (countsWaiting) startTimer(job);
        next();
      }),
    close: async () => {
      closed = true;
      for (let job = current ?? waiting.next(); job; job = waiting.next()) {
        clearTimeout(job.timer);
        job.reject(new GatewayError('unavailable'));
      }
      current = undefined;
      thread.stop();
      await thread.ending;
    },
  };
}

interface Lane<Result> {
  readonly waiting: Job<Result>[];
}

function createWaitingJobs<Result>({
  maxWaiting,
  maxWaitingPerLane = maxWaiting,
}: Pick<WorkerQueueOptions, 'maxWaiting' | 'maxWaitingPerLane'>) {
  const queue = createTurnQueue<Job<Result>, Lane<Result>>({
    maxPerLane: maxWaitingPerLane,
    maxLanes: maxWaiting,
  });
  /** In which a job waits. */
  const lanes = new Map<string, Lane<Result>>();
  let length = 0;
  /** The lane of the job that runs, or ran last: another one comes first. */
  let last = '';
  const hasLeft = (job: Job<Result>): void => {
    length -= 1;
    if (lanes.get(job.lane)?.waiting.length === 0) lanes.delete(job.lane);
  };

  return {
    /** Returns false if too many wait. */
    add(job: Job<Result>): boolean {
      const lane = lanes.get(job.lane) ?? { waiting: [] };
      if (length >= maxWaiting || !queue.add(lane, job)) return false;
      lanes.set(job.lane, lane);
      length += 1;
      return true;
    },
    remove(job: Job<Result>): void {
      const lane = lanes.get(job.lane);
      if (lane && queue.remove(lane, job)) hasLeft(job);
    },
    next(): Job<Result> | undefined {
      const turn = queue.next((lane) => lane !== lanes.get(last)) ?? queue.next(() => true);
      if (!turn) return undefined;
      last = turn.item.lane;
      hasLeft(turn.item);
      return turn.item;
    },
  };
}

/** Beside the heap. V8's default grows to three times this, and a thread at its limit then collects for seconds longer. */
const MAX_YOUNG_MIB = 16;

/** A thread that starts with its first message and ends when it stays idle. */
function createWorkerThread<Result>(
  options: WorkerQueueOptions,
  events: {
    readonly onResult: (result: Result) => void;
    /** The thread did not survive its job. */
    readonly onError: (cause: unknown) => void;
    /** A stopped thread has ended, so that another one may start. */
    readonly onEnded: () => void;
  },
) {
  let worker: Worker | undefined;
  let ending: Promise<void> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(options.script, {
      workerData: options.workerData,
      env: {},
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: options.maxHeapMib,
        maxYoungGenerationSizeMb: MAX_YOUNG_MIB,
      },
    });
    started.on('message', (result: Result) => {
      if (started === worker) events.onResult(result);
    });
    started.on('error', (cause) => {
      if (started === worker) events.onError(cause);
    });
    return started;
  }

  /** Ends the thread now. Its results and errors are ignored from here on. */
  function stop(): void {
    clearTimeout(idleTimer);
    const stopped = worker;
    worker = undefined;
    if (!stopped) return;
    ending = stopped.terminate().then(() => {
      ending = undefined;
      events.onEnded();
    });
  }

  return {
    /** Sends a message, on a new thread if none is running. */
    send: ({ value, transfer = [] }: WorkerMessage): void => {
      worker ??= start();
      // With work the thread must keep the process alive, or its result would be lost. Idle, it must not.
      worker.ref();
      worker.postMessage(value, transfer);
    },
    /** Ends the thread after the idle time, unless `stayAwake` or `send` comes first. */
    rest: (): void => {
      worker?.unref();
      idleTimer = setTimeout(stop, options.idleMs).unref();
    },
    stayAwake: (): void => clearTimeout(idleTimer),
    stop,
    /** Set until a stopped thread has ended, which SQLite may delay: never start a second thread beside it. */
    get ending(): Promise<void> | undefined {
      return ending;
    },
  };
}

/** The script of a worker thread: TypeScript when run from source, else the JavaScript compiled from it. */
export const workerScript = (pathWithoutExtension: string, importerUrl: string): URL =>
  new URL(`${pathWithoutExtension}.${importerUrl.endsWith('.ts') ? 'ts' : 'js'}`, importerUrl);

/**
 * Bytes that can be transferred to a thread. Large ones are transferred themselves: copying 10 MB would block the event loop
 * for 10 ms. Small ones may be in a shared pool, and are copied.
 */
export const toTransferable = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.length > Buffer.poolSize && bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);
