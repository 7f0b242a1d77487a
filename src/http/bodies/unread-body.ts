import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { discardBody } from './discard-body.ts';

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
