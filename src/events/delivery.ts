import type { ClientStream, StreamEvent } from './client-stream.ts';

/** Streams served before other work gets its turn. */
const SLICE = 500;
/** Events that may wait for their slices; beyond it they come faster than they can ever be delivered. */
const MAX_WAITING = 1000;

interface QueuedEvent {
  readonly event: StreamEvent;
  /** Those who have not got it yet; live, so that streams which close meanwhile drop out. */
  readonly recipients: Iterator<ClientStream>;
}

/** Brings one tenant's events to its streams. */
export interface Delivery {
  /** By client id; whoever owns the delivery adds and removes. */
  readonly streams: Map<string, ClientStream>;
  /**
   * To all streams that may use the event's tool, or to the one named if it may. False when the event was dropped
   * because too many wait.
   */
  send(event: StreamEvent, clientId?: string): boolean;
}

/**
 * An event for few streams is sent at once. One for very many goes out in slices, so that calls are answered in
 * between. What is published meanwhile waits behind it, even when meant for a single stream: every stream gets its
 * events in the order of publication.
 */
export function createDelivery(): Delivery {
  const streams = new Map<string, ClientStream>();
  const waiting: QueuedEvent[] = [];

  function recipientsOf(clientId: string | undefined): Iterator<ClientStream> {
    if (clientId === undefined) return streams.values();
    const stream = streams.get(clientId);
    return (stream ? [stream] : []).values();
  }

  function sendSlice(): void {
    let left = SLICE;
    for (let queued = waiting[0]; queued; queued = waiting[0]) {
      for (;;) {
        if (left-- === 0) {
          setImmediate(sendSlice);
          return;
        }
        const { done, value } = queued.recipients.next();
        if (done) break;
        const { event } = queued;
        if (!event.tool || value.mayUse(event.tool)) value.send(event);
      }
      waiting.shift();
    }
  }

  return {
    streams,
    send(event, clientId) {
      if (waiting.length >= MAX_WAITING) return false;
      waiting.push({ event, recipients: recipientsOf(clientId) });
      if (waiting.length === 1) sendSlice();
      return true;
    },
  };
}
