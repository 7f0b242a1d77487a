import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../platform/kernel/caller.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import type { ToolCall } from '../tool-call.ts';
import { MAX_REQUESTS } from './read-over.ts';
import type { CountRequests } from './room.ts';

/** Time for a whole range, in milliseconds: hosts give up on a call after a minute. */
export const RANGE_TIME_MS = 50_000;

/** Why a range ended before all of its units were asked. */
export type EarlyEnd = 'time' | 'cancelled' | 'requests' | 'minute' | 'day' | 'source';

/** The limits of one call with `_over`: its time, its requests, and whether its caller still waits. `close` ends the watch. */
export class RunControl {
  /** Cancels the requests within the call. */
  readonly stop = new Cancellation();
  readonly #deadline = Deadline.in(RANGE_TIME_MS);
  readonly #count: CountRequests;
  readonly #caller: Caller;
  readonly #client: Cancellation | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #waiting = new AbortController();
  #requests = 0;
  #ended: EarlyEnd | null = null;
  /** Seconds until the limit that ended the call has room again. */
  retryAfterSeconds = 0;

  constructor(
    count: CountRequests,
    caller: Caller,
    { cancellation }: Pick<ToolCall, 'cancellation'>,
  ) {
    this.#count = count;
    this.#caller = caller;
    this.#client = cancellation?.();
    this.#timer = setTimeout(() => this.end('time'), RANGE_TIME_MS);
    this.#client?.watch(this);
  }

  get ended(): EarlyEnd | null {
    return this.#ended;
  }

  onCancelled(): void {
    this.end('cancelled');
  }

  /** No further request is made. Requests under way are cancelled unless the caller can still use their rows. */
  end(why: EarlyEnd): void {
    this.#ended ??= why;
    this.#waiting.abort();
    if (why === 'time' || why === 'cancelled') this.stop.cancel();
  }

  /** Counts one request in the limits of the caller, and waits while the minute is used up; false once the call has ended. */
  readonly admit = async (): Promise<boolean> => {
    if (this.#ended === null && this.#requests >= MAX_REQUESTS) this.end('requests');
    this.#requests++;
    while (this.#ended === null) {
      const decision = await this.#count(this.#caller, 1);
      if (decision.allowed) return this.#ended === null;
      const { day, retryAfterSeconds } = decision;
      const isHopeless = retryAfterSeconds * 1000 > this.#deadline.remainingMs();
      if (day !== undefined || isHopeless) {
        this.retryAfterSeconds = retryAfterSeconds;
        this.end(day === undefined ? 'minute' : 'day');
      } else await this.#pause(retryAfterSeconds * 1000);
    }
    return false;
  };

  #pause(ms: number): Promise<unknown> {
    return sleep(ms, undefined, { signal: this.#waiting.signal }).catch(() => undefined);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#client?.unwatch(this);
  }
}
