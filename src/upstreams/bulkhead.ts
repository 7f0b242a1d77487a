import { GatewayError } from '../kernel/error.ts';
import type { Interruptible, Interruption } from './interruption.ts';

/**
 * At most `limit` calls to one origin at a time; as many again wait in order of arrival.
 *
 * The bulkhead of cockatiel cannot let a waiting call go: one that reached its deadline would keep its place in
 * the queue until its turn came.
 */
export interface Bulkhead {
  /** Takes a free place, if there is one. */
  tryEnter(): boolean;
  /** Waits for a place; rejects with `overloaded` at once when the queue is full, or when interrupted. */
  enterLater(interruption: Interruption): Promise<void>;
  /** Gives the place to whoever waited longest. */
  leave(): void;
  readonly inFlight: () => number;
}

interface Waiter extends Interruptible {
  enter(): void;
}

export function createBulkhead(limit: number): Bulkhead {
  const queue: Waiter[] = []; // not a Set, for the reason given at `createOpenCalls`
  let inFlight = 0;

  return {
    tryEnter() {
      if (inFlight >= limit) return false;
      inFlight += 1;
      return true;
    },
    enterLater(interruption) {
      if (queue.length >= limit) return Promise.reject(full());
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          enter: resolve,
          interrupt: (error) => {
            // After `enter` the place is taken: the call goes on and learns of the interruption at its next step.
            const index = queue.indexOf(waiter);
            if (index === -1) return;
            queue.splice(index, 1);
            reject(error);
          },
        };
        queue.push(waiter);
        interruption.watch(waiter);
      });
    },
    leave() {
      const next = queue.shift();
      if (next) next.enter();
      else inFlight -= 1;
    },
    inFlight: () => inFlight,
  };
}

function full(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many calls to this upstream are under way; retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );
}
