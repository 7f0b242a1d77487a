import { type MemoryHold, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';

export interface EventStreamOptions {
  readonly keepaliveMs: number;
  /** Unsent bytes above which a slow client is disconnected. */
  readonly maxBufferBytes: number;
  /** The memory that unsent data holds, once it exceeds a small amount. */
  readonly memory: () => MemoryHold;
  /** Called once, when the connection is closed, whichever side closed it. */
  readonly onClose: () => void;
}

const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

/** Sends the head of an event stream and the field that begins its first frame, which must follow. */
export function startEventStream(
  response: ResponseStream,
  headers: Readonly<Record<string, string>> = EVENT_STREAM_HEADERS,
): void {
  response.writeHead(200, headers);
  if (!response.destroyed) response.write(RETRY_FIELD);
}

/** Keepalives that may become due while an earlier one is still in this process. */
const MAX_MISSED_KEEPALIVES = 2;

/**
 * Turns a response into an event stream.
 *
 * A client that vanished without closing the connection is detected when a keepalive stays unsent until two more are
 * due. TCP cannot detect it earlier: data in the kernel's send buffer counts as sent until retransmission gives up.
 */
export function openEventStream(
  response: ResponseStream,
  { keepaliveMs, maxBufferBytes, memory, onClose }: EventStreamOptions,
) {
  let keepaliveUnsent = false;
  let missedKeepalives = 0;
  let replyBytes = 0;
  let replies: Promise<void> = Promise.resolve();
  let replyDone = (): void => undefined;

  const isClosed = (): boolean => response.writableEnded || response.destroyed;

  function write(frame: string | Buffer, whenSent?: () => void): void {
    if (isClosed()) return;
    const unsentBytes = response.writableLength - replyBytes;
    if (unsentBytes <= SMALL_BYTES) response.write(frame, whenSent);
    else if (unsentBytes > maxBufferBytes || !memory().take(frame.length)) response.destroy();
    else {
      response.write(frame, () => {
        memory().give(frame.length);
        whenSent?.();
      });
    }
  }

  function sendReply(pieces: readonly (string | Buffer)[]): Promise<void> {
    if (isClosed()) return Promise.resolve();
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

  // One timer per stream: Node keeps timers of equal duration in one list, and they stay spread over the interval.
  const timer = setInterval(keepAlive, keepaliveMs);
  const close = (): void => {
    clearInterval(timer);
    // Node never calls back for data written between the end of the socket and this event.
    replyDone();
    onClose();
  };
  // If the client disconnected while its key was being checked, the event has already been emitted.
  if (response.destroyed) setImmediate(close);
  else response.once('close', close);

  startEventStream(response);

  return {
    /** Sends an unsolicited frame. A client that has too many unsent frames is disconnected. */
    write: (frame: string | Buffer): void => write(frame),
    /**
     * Sends a response that the client requested, however large it is. Each reply starts when the previous one has been
     * sent. Resolves when it has been sent, or when the stream is closed.
     */
    reply: (pieces: readonly (string | Buffer)[]): Promise<void> => {
      replies = replies.then(() => sendReply(pieces));
      return replies;
    },
    end: (lastFrame?: string | Buffer): void => {
      if (lastFrame) write(lastFrame);
      response.end();
    },
  };
}

/** The part of a server's response that event streams use. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  /** Bytes that are still in this process. */
  readonly writableLength: number;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(piece: string | Buffer, whenSent?: () => void): unknown;
  cork(): void;
  uncork(): void;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** A comment line, which clients ignore. It keeps proxies from closing an idle stream. */
export const KEEPALIVE_COMMENT = ': keepalive\n\n';

/**
 * How long a client waits before it reconnects. The line has no frame of its own: it begins the first frame of a stream,
 * because some clients take a frame without data for an empty event.
 */
export const RETRY_FIELD = 'retry: 3000\n';

/**
 * One event in the format of the HTML standard, section 9.2 "Server-sent events". Each line of `data` becomes a
 * separate field; the client joins them with line feeds, whatever the original line breaks. `name` is a constant of
 * the gateway, a single line.
 */
export function encodeSseEvent(name: string, data: string): Buffer {
  const fields = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return Buffer.from(`event: ${name}\ndata: ${fields}\n\n`);
}

/** The notification of a changed tool list, for the MCP revisions with a session. */
export const TOOLS_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
