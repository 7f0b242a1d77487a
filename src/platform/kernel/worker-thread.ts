import { type Transferable, Worker } from 'node:worker_threads';

export interface WorkerThreadOptions {
  /** The thread's own file. It replies to every message with one message. */
  readonly script: URL;
  /** The thread ends after this long without work, in milliseconds. */
  readonly idleMs: number;
  /** V8's heap on the thread. A job that needs more ends the thread, not the process. */
  readonly maxHeapMib: number;
  /** Passed to the thread when it starts. */
  readonly workerData?: unknown;
}

/** What is sent to the thread. */
export interface WorkerMessage {
  readonly value: unknown;
  readonly transfer?: readonly Transferable[];
}

export interface WorkerThreadEvents<Result> {
  readonly onResult: (result: Result) => void;
  /** The thread did not survive its job. */
  readonly onError: (cause: unknown) => void;
  /** A stopped thread has ended, so that another one may start. */
  readonly onEnded: () => void;
}

/** A thread that starts with its first message and ends when it stays idle. */
export interface WorkerThread {
  /** Sends a message, on a new thread if none is running. */
  send(message: WorkerMessage): void;
  /** Ends the thread after the idle time, unless `stayAwake` or `send` comes first. */
  rest(): void;
  /** Cancels the end that `rest` has scheduled. */
  stayAwake(): void;
  /** Ends the thread now. Its results and errors are ignored from here on. */
  stop(): void;
  /** Set until a stopped thread has ended, which SQLite may delay: never start a second thread beside it. */
  readonly ending: Promise<void> | undefined;
}

/** Beside the heap. V8's default grows to three times this, and a thread at its limit then collects for seconds longer. */
const MAX_YOUNG_MIB = 16;

export function createWorkerThread<Result>(
  options: WorkerThreadOptions,
  events: WorkerThreadEvents<Result>,
): WorkerThread {
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
    send: ({ value, transfer = [] }) => {
      worker ??= start();
      // With work the thread must keep the process alive, or its result would be lost. Idle, it must not.
      worker.ref();
      worker.postMessage(value, transfer);
    },
    rest: () => {
      worker?.unref();
      idleTimer = setTimeout(stop, options.idleMs).unref();
    },
    stayAwake: () => clearTimeout(idleTimer),
    stop,
    get ending() {
      return ending;
    },
  };
}
