import type { RpcId } from '../../dialects/json-rpc/json-rpc.ts';
import type { HostMessage } from './message.ts';

/** A message that the gateway has not answered in full. */
export interface InFlightMessage {
  readonly message: HostMessage;
  readonly unanswered: Set<RpcId>;
  /** Closes the connection to the gateway. */
  readonly closing: AbortController;
}

/** The messages that the gateway has not answered in full. */
export interface InFlightMessages {
  add(message: HostMessage): InFlightMessage;
  remove(entry: InFlightMessage): void;
  /**
   * Closes the connection of a request. True if that cancels it: a request of 2026-07-28 is cancelled by closing its
   * connection, an earlier one by a notification to the gateway.
   */
  cancel(id: unknown): boolean;
  /** Closes the connections of this method, or all of them. */
  abort(method?: string): void;
}

export function createInFlightMessages(): InFlightMessages {
  const entries = new Set<InFlightMessage>();
  return {
    add(message) {
      const unanswered = new Set(message.ids);
      const entry = { message, unanswered, closing: new AbortController() };
      entries.add(entry);
      return entry;
    },
    remove: (entry) => void entries.delete(entry),
    cancel(id) {
      for (const { message, closing } of entries) {
        if (message.ids.length !== 1 || message.ids[0] !== id) continue;
        closing.abort();
        return message.revision !== null;
      }
      return false;
    },
    abort(method) {
      for (const { message, closing } of entries) {
        if (method === undefined || message.method === method) closing.abort();
      }
    },
  };
}
