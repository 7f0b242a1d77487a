import {
  encodeSseEvent,
  KEEPALIVE_COMMENT,
  type ResponseStream,
  startEventStream,
} from '../../events/event-stream.ts';
import { repeat } from '../../platform/kernel/time.ts';
import type { RouteStream } from '../route.ts';

/** Where the events of one reader go. */
export interface EventSink {
  /** Returns false, and sends nothing, while the reader is too slow. `name` is a constant, a single line. */
  send(name: string, data: unknown): boolean;
}

/** A stream of server-sent events until its reader leaves or may no longer read. */
export class AdminEvents {
  /** Starts the events and returns what stops them. Neither may throw. */
  readonly open: (sink: EventSink) => () => void;

  constructor(open: AdminEvents['open']) {
    this.open = open;
  }
}

/** Bytes that wait for a slow reader. */
export const MAX_WAITING_BYTES = 256 * 1024;
/** A proxy must not take the stream for idle, nor a person who was removed keep reading. */
const CHECK_MS = 1000;
const KEEPALIVE_CHECKS = 15;

/** `assertAdmitted` rejects once the reader may no longer read; the stream then ends with the event `end`. */
export const sendEvents = (
  { open }: AdminEvents,
  assertAdmitted: () => Promise<unknown>,
): RouteStream => ({ stream: (response) => start(open, assertAdmitted, response) });

function start(
  open: AdminEvents['open'],
  assertAdmitted: () => Promise<unknown>,
  response: ResponseStream,
): void {
  startEventStream(response, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.write(KEEPALIVE_COMMENT);
  const isSlow = (): boolean => response.writableLength > MAX_WAITING_BYTES;
  const stop = open({
    send: (name, data) => {
      if (response.destroyed || response.writableEnded || isSlow()) return false;
      response.write(encodeSseEvent(name, JSON.stringify(data)));
      return true;
    },
  });
  let checks = 0;
  const check = async (): Promise<void> => {
    try {
      await assertAdmitted();
      if (++checks % KEEPALIVE_CHECKS === 0 && !isSlow()) response.write(KEEPALIVE_COMMENT);
    } catch {
      response.write(encodeSseEvent('end', '{}'));
      response.end();
    }
  };
  const stopChecks = repeat(check, () => CHECK_MS);
  const close = (): void => {
    stopChecks();
    stop();
  };
  // If the reader disconnected while it was being admitted, the event has already been emitted.
  if (response.destroyed) setImmediate(close);
  else response.once('close', close);
}
