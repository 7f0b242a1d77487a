import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Largest body that is read although its request is refused, so that its dialect can encode the refusal. */
const MAX_REFUSED_BODY_BYTES = 16 * 1024;

/** Whether the head of a request declares that the body, if any, is small. */
export const hasSmallBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) <= MAX_REFUSED_BODY_BYTES;

/**
 * For a request that is refused without reading its body: lets the client finish sending, within bounds, and then cuts
 * the connection. Otherwise the server would accept data for as long as the client sends.
 */
export function boundUnreadBody(request: IncomingMessage): void {
  if (request.complete || hasSmallBody(request.headers)) return;
  discardBody(request, () => {
    if (!request.complete) request.socket.destroy();
  });
}

/** How much of an oversized body is read, and for how long, before the response is sent. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 2000;

/**
 * Calls `then` once the rest of a body has been read and discarded, up to these bounds. Closing a connection with unread
 * data resets it, and a client that is still sending may then lose the response.
 */
export function discardBody(request: IncomingMessage, then: () => void): void {
  let bytes = 0;
  let isDone = false;
  const finish = (): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    then();
  };
  const timer = setTimeout(finish, MAX_MS);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) finish();
  });
  request.once('end', finish).once('close', finish).resume();
}
