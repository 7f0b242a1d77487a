import type { Awaitable } from './awaitable.ts';
import type { Closeable } from './closeable.ts';
import { GatewayError } from './error.ts';
import { createTurnQueue, type TurnLane } from './turn-queue.ts';
import {
  createWorkerThread,
  type WorkerMessage,
  type WorkerThreadOptions,
} from './worker-thread.ts';

export interface WorkerQueueOptions extends WorkerThreadOptions {
  /** Jobs that may wait. One more is refused with `overloaded`. */
  readonly maxWaiting: number;
  /** Of these, those of one lane; all of them by default. */
  readonly maxWaitingPerLane?: number;
  /** A job that takes longer ends with the thread, in milliseconds. */
  readonly jobTimeoutMs: number;
  /** Whether waiting counts towards the time of a job; false by default. */
  readonly countsWaiting?: boolean;
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

interface Lane<Result> extends TurnLane<Job<Result>> {
  readonly name: string;
}

interface Job<Result> {
  readonly lane: Lane<Result>;
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
      if (job === current) settle(() => job.reject(error));
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
        const job = waiting.add(lane, { message, timeoutMs, resolve, reject });
        if (!job) return reject(new GatewayError('overloaded'));
        if (countsWaiting) startTimer(job);
        next();
      }),
    close: async () => {
      closed = true;
      rejectAll([...(current ? [current] : []), ...waiting.removeAll()]);
      current = undefined;
      thread.stop();
      await thread.ending;
    },
  };
}

interface WaitingJobs<Result> {
  /** Undefined if too many wait. */
  add(lane: string, job: Omit<Job<Result>, 'lane'>): Job<Result> | undefined;
  remove(job: Job<Result>): void;
  next(): Job<Result> | undefined;
  removeAll(): readonly Job<Result>[];
}

function createWaitingJobs<Result>({
  maxWaiting,
  maxWaitingPerLane = maxWaiting,
}: Pick<WorkerQueueOptions, 'maxWaiting' | 'maxWaitingPerLane'>): WaitingJobs<Result> {
  /** Those with a waiting job, by name. */
  const lanes = new Map<string, Lane<Result>>();
  const queue = createTurnQueue<Job<Result>, Lane<Result>>({
    maxPerLane: maxWaitingPerLane,
    maxLanes: maxWaiting,
  });
  let length = 0;
  /** The lane of the job that runs, or ran last: another one comes first. */
  let last = '';

  function forget({ lane }: Job<Result>): void {
    length -= 1;
    if (lane.waiting.length === 0) lanes.delete(lane.name);
  }

  function next(): Job<Result> | undefined {
    const turn = queue.next(({ name }) => name !== last) ?? queue.next();
    if (!turn) return undefined;
    last = turn.lane.name;
    forget(turn.item);
    return turn.item;
  }

  return {
    add(name, parts) {
      const lane = lanes.get(name) ?? { name, waiting: [] };
      const job = { ...parts, lane };
      if (length >= maxWaiting || !queue.add(lane, job)) return undefined;
      lanes.set(name, lane);
      length += 1;
      return job;
    },
    remove(job) {
      if (queue.remove(job.lane, job)) forget(job);
    },
    next,
    removeAll() {
      const all = [];
      for (let job = next(); job; job = next()) all.push(job);
      return all;
    },
  };
}

function rejectAll(jobs: readonly Job<never>[]): void {
  for (const job of jobs) {
    clearTimeout(job.timer);
    job.reject(new GatewayError('unavailable'));
  }
}
