import type { Deadline } from '../../platform/kernel/deadline.ts';
import type { Departure, Watcher } from '../../platform/kernel/departure.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

/** Something a call waits for (a free place, an answer, a pause) that can be given up at once. */
export interface Interruptible {
  interrupt(error: GatewayError): void;
}

/**
 * Ends one call early: at its deadline, when its caller goes away, or when the gateway stops. Whatever the call
 * waits for at that moment is told. One timer and at most one watcher serve the whole call, retries included.
 */
export class Interruption implements Watcher {
  readonly deadline: Deadline;
  /** Where `OpenCalls` keeps it. */
  place = 0;
  #error: GatewayError | null = null;
  #waitingFor: Interruptible | null = null;
  readonly #departure: Departure | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(deadline: Deadline, departure?: Departure) {
    this.deadline = deadline;
    const remainingMs = deadline.remainingMs();
    if (departure?.hasLeft) this.#error = new GatewayError('cancelled');
    else if (remainingMs === 0) this.#error = new GatewayError('upstream_timeout');
    else {
      this.#timer = setTimeout(expire, Math.ceil(remainingMs), this);
      this.#departure = departure;
      departure?.watch(this);
    }
  }

  /** Throws the reason if the call is already over. */
  check(): void {
    if (this.#error) throw this.#error;
  }

  /** Names what the call waits for from now on; interrupted here and now if the call is already over. */
  watch(waitingFor: Interruptible): void {
    this.#waitingFor = waitingFor;
    if (this.#error) waitingFor.interrupt(this.#error);
  }

  /** Ends the call; only the first reason counts. */
  interrupt(error: GatewayError): void {
    if (this.#error) return;
    this.#error = error;
    this.#waitingFor?.interrupt(error);
  }

  callerLeft(): void {
    this.interrupt(new GatewayError('cancelled'));
  }

  /** Lets go of timer and departure; the call is answered. */
  end(): void {
    clearTimeout(this.#timer);
    this.#departure?.unwatch(this);
    this.#waitingFor = null;
  }
}

function expire(interruption: Interruption): void {
  interruption.interrupt(new GatewayError('upstream_timeout'));
}
