import type { IncomingMessage } from 'node:http';

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
