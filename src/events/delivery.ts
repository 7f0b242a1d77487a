import type { ClientStream, StreamEvent } from './client-stream.ts';

/** Streams that receive an event before other work gets its turn. */
const SLICE = 500;
/** Queued events of one tenant. Beyond it, events are published faster than they can ever be delivered. */
const MAX_QUEUED = 1000;

interface QueuedEvent {
  readonly event: StreamEvent;
  /** The streams that have not received it yet. Live, so that streams that close meanwhile drop out. */
  readonly recipients: Iterator<ClientStream>;
}

/** Delivers one tenant's events to its streams. */
export interface Delivery {
  /** By client id. The owner of the delivery adds and removes streams. */
  readonly streams: Map<string, ClientStream>;
  /**
   * Sends an event to all streams that may use its tool, or to the named stream if it may. Returns false if the queue is
   * full and the event was dropped.
   */
  send(event: StreamEvent, clientId?: string): boolean;
}

/**
 * An event for few streams is sent at once. An event for very many streams is sent in slices, so that calls proceed in
 * between. Events that are published meanwhile queue behind it, even for a single stream: every stream receives its
 * events in the order of publication.
 */
export function createDelivery(): Delivery {
  const streams = new Map<string, ClientStream>();
  const queue: QueuedEvent[] = [];

  function recipientsOf(clientId: string | undefined): Iterator<ClientStream> {
    if (clientId === undefined) return streams.values();
    const stream = streams.get(clientId);
    return (stream ? [stream] : []).values();
  }

  function sendSlice(): void {
    let left = SLICE;
    for (let queued = queue[0]; queued; queued = queue[0]) {
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
      queue.shift();
    }
  }

  return {
    streams,
    send(event, clientId) {
      if (queue.length >= MAX_QUEUED) return false;
      queue.push({ event, recipients: recipientsOf(clientId) });
      if (queue.length === 1) sendSlice();
      return true;
    },
  };
}
