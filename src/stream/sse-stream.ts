import type { ServerResponse } from 'node:http';
import type { ClientStream } from './client-stream.ts';
import { encodeSseEvent, KEEPALIVE_COMMENT } from './sse-event.ts';

export interface SseStreamOptions {
  readonly clientId: string;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly keepaliveMs: number;
  /** Unsent data at which a slow reader is dropped rather than held in memory. */
  readonly maxBufferBytes: number;
  /** Called once, when the connection has gone, whoever ended it. */
  readonly onClose: () => void;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

/** Keepalives that may be due while an earlier one has not even left this process. */
const MAX_MISSED_KEEPALIVES = 2;

/**
 * Takes a response over as an event stream and sends `ready` and `endpoint` (contract "Server-sent events").
 *
 * A peer that vanished without a word is noticed when a keepalive stays unsent until the next but one is due. TCP
 * alone cannot tell sooner: what fits into the kernel's send buffer counts as sent until retransmission gives up.
 */
export function createSseStream(response: ServerResponse, options: SseStreamOptions): ClientStream {
  const { clientId, tenantId, apiKeyId } = options;
  let keepaliveUnsent = false;
  let missedKeepalives = 0;

  function write(frame: string, whenSent?: () => void): void {
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > options.maxBufferBytes) response.destroy();
    else response.write(frame, whenSent);
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
  const timer = setInterval(keepAlive, options.keepaliveMs);
  const onClose = (): void => {
    clearInterval(timer);
    options.onClose();
  };
  // A client that left while its key was being checked has had its event already.
  if (response.destroyed) setImmediate(onClose);
  else response.once('close', onClose);

  response.writeHead(200, HEADERS);
  write(encodeSseEvent('ready', JSON.stringify({ ok: true, clientId })));
  write(encodeSseEvent('endpoint', `/mcp?sessionId=${clientId}`));

  return {
    clientId,
    tenantId,
    apiKeyId,
    send: ({ name, data }) => write(encodeSseEvent(name, data)),
    end: () => response.end(),
  };
}
