import type { Cancellation, Watcher } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Deadline } from '../../platform/kernel/time.ts';

/** A step of a call (a wait for a slot, an attempt, a pause) that can be aborted at once. */
export interface Abortable {
  abort(error: GatewayError): void;
}

/**
 * A call in flight, which ends early at its deadline, when its caller disconnects, or when the gateway stops. Its
 * current step is aborted then. One timer and at most one watcher serve the whole call, retries included.
 */
export class AbortableCall implements Watcher {
  readonly deadline: Deadline;
  /** Its index in `OpenCalls`. */
  index = 0;
  #error: GatewayError | null = null;
  #step: Abortable | null = null;
  readonly #cancellation: Cancellation | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(deadline: Deadline, cancellation?: Cancellation) {
    this.deadline = deadline;
    const remainingMs = deadline.remainingMs();
    if (cancellation?.isCancelled) this.#error = new GatewayError('cancelled');
    else if (remainingMs === 0) this.#error = new GatewayError('upstream_timeout');
    else {
      this.#timer = setTimeout(expire, Math.ceil(remainingMs), this);
      this.#cancellation = cancellation;
      cancellation?.watch(this);
    }
  }

  /** Throws the reason if the call has been aborted. */
  throwIfAborted(): void {
    if (this.#error) throw this.#error;
  }

  /** Sets the current step. Aborts it at once if the call has been aborted. */
  setStep(step: Abortable): void {
    this.#step = step;
    if (this.#error) step.abort(this.#error);
  }

  /** Only the first reason counts. */
  abort(error: GatewayError): void {
    if (this.#error) return;
    this.#error = error;
    this.#step?.abort(error);
  }

  onCancelled(): void {
    this.abort(new GatewayError('cancelled'));
  }

  /** Releases the timer and the watcher when the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#cancellation?.unwatch(this);
    this.#step = null;
  }
}

function expire(call: AbortableCall): void {
  call.abort(new GatewayError('upstream_timeout'));
}
