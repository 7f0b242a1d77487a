import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Calls of one tool over a bounded number of connections. */
export interface CallLoad {
  readonly url: string;
  readonly key: string;
  readonly seconds: number;
  readonly connections: number;
  /** Calls per second, sent when they are due whether or not earlier ones have returned; 0 = as many as the connections can send. */
  readonly rate: number;
  readonly tool: string;
  readonly args: object;
  /** The argument `n` of the first call, which is one more in each further call; without it, all calls are equal. */
  readonly firstNumber?: number;
  /** Text that every valid response contains. */
  readonly marker: string;
}

/** Times of calls, in milliseconds. */
export interface CallTimes {
  /** From when each call was due until its response was read, so with any wait for a connection. */
  readonly took: readonly number[];
  /** How late each call was sent by the client itself, which is part of what it took. */
  readonly late: readonly number[];
  /** All calls, with those of the lead, whose times do not count. */
  readonly sent: number;
}

/** Makes the calls in a thread of their own. Throws if a response is wrong, or if more wait than a bound. */
export async function makeCalls(load: CallLoad): Promise<CallTimes> {
  const worker = new Worker(new URL('./call-load-worker.ts', import.meta.url), {
    workerData: load,
  });
  const [times] = await once(worker, 'message');
  return times;
}
