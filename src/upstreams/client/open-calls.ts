import type { GatewayError } from '../../platform/kernel/error.ts';
import type { Interruption } from './interruption.ts';

/** The calls under way, for the day they must end. */
export interface OpenCalls {
  add(call: Interruption): void;
  remove(call: Interruption): void;
  /** Resolves when no call is left, or after `timeoutMs`. */
  drained(timeoutMs: number): Promise<void>;
  interruptAll(error: GatewayError): void;
}

/**
 * An array whose gaps are filled with its last entry. Not a Set: one that is added to and deleted from all the
 * time replaces its table every few dozen calls, and V8 keeps the replaced tables, with every call they held,
 * until a full collection. That cost 5 us a call.
 */
export function createOpenCalls(): OpenCalls {
  const calls: Interruption[] = [];
  let onDrained = (): void => {};

  return {
    add(call) {
      call.place = calls.push(call) - 1;
    },
    remove(call) {
      const last = calls.pop();
      if (last && last !== call) {
        last.place = call.place;
        calls[last.place] = last;
      }
      if (calls.length === 0) onDrained();
    },
    async drained(timeoutMs) {
      if (calls.length === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        onDrained = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    interruptAll(error) {
      for (const call of calls) call.interrupt(error);
    },
  };
}
