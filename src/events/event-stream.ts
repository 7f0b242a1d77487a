import { type Lease, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import type { ResponseStream } from './response-stream.ts';
import { KEEPALIVE_COMMENT } from './sse-event.ts';

export interface EventStreamOptions {
  readonly keepaliveMs: number;
  /** Unsent data at which a slow reader is dropped rather than held in memory. */
  readonly maxBufferBytes: number;
  /** What unsent data holds of the memory budget, once there is more than a little of it. */
  readonly lease: () => Lease;
  /** Called once, when the connection has gone, whoever ended it. */
  readonly onClose: () => void;
}

/** A response taken over as an event stream. */
export interface EventStream {
  /** Sends a frame that nobody waits for; a reader who is behind with too many of them is dropped. */
  write(frame: string): void;
  /**
   * Sends an answer that the client asked for, however large it is: one after another, each when the one before has
   * left. Resolves when it has left, or when the stream has gone.
   */
  reply(pieces: readonly (string | Buffer)[]): Promise<void>;
  end(lastFrame?: string): void;
}

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

/** Keepalives that may be due while an earlier one has not even left this process. */
const MAX_MISSED_KEEPALIVES = 2;

/**
 * Takes a response over as an event stream.
 *
 * A peer that vanished without a word is noticed when a keepalive stays unsent until the next but one is due. TCP
 * alone cannot tell sooner: what fits into the kernel's send buffer counts as sent until retransmission gives up.
 */
export function openEventStream(
  response: ResponseStream,
  { keepaliveMs, maxBufferBytes, lease, onClose }: EventStreamOptions,
): EventStream {
  let keepaliveUnsent = false;
  let missedKeepalives = 0;
  let replyBytes = 0;
  let replies: Promise<void> = Promise.resolve();
  let replyDone = (): void => undefined;

  const isGone = (): boolean => response.writableEnded || response.destroyed;

  function write(frame: string, whenSent?: () => void): void {
    if (isGone()) return;
    const unsentBytes = response.writableLength - replyBytes;
    if (unsentBytes <= SMALL_BYTES) response.write(frame, whenSent);
    else if (unsentBytes > maxBufferBytes || !lease().take(frame.length)) response.destroy();
    else {
      response.write(frame, () => {
        lease().give(frame.length);
        whenSent?.();
      });
    }
  }

  function sendReply(pieces: readonly (string | Buffer)[]): Promise<void> {
    if (isGone()) return Promise.resolve();
    replyBytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
    return new Promise((resolve) => {
      replyDone = () => {
        replyBytes = 0;
        resolve();
      };
      response.cork();
      pieces.forEach((piece, index) => {
        response.write(piece, index === pieces.length - 1 ? replyDone : undefined);
      });
      response.uncork();
    });
  }

  function keepAlive(): void {
    if (!keepaliveUnsent) {
      missedKeepalives = 0;
      keepaliveUnsent = true;
      write(KEEPALIVE_COMMENT, () => {
        keepaliveUnsent = false;
      });
    } else if (++missedKeepalives === MAX_MISSED_KEEPALIVES) {
      response.destroy();
    }
  }

  // One timer a stream: Node keeps timers of one duration in one list, and their moments stay spread over the interval.
  const timer = setInterval(keepAlive, keepaliveMs);
  const close = (): void => {
    clearInterval(timer);
    // Node never calls back for what was written between the socket's end and this event.
    replyDone();
    onClose();
  };
  // A client that left while its key was being checked has had its event already.
  if (response.destroyed) setImmediate(close);
  else response.once('close', close);

  response.writeHead(200, EVENT_STREAM_HEADERS);

  return {
    write,
    reply: (pieces) => {
      replies = replies.then(() => sendReply(pieces));
      return replies;
    },
    end: (lastFrame) => {
      if (lastFrame) write(lastFrame);
      response.end();
    },
  };
}
