import type { IncomingMessage } from 'node:http';

/** What is read of a body that is too large, and for how long, before its client is answered. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 2000;

/**
 * Calls `then` once the rest of a body has been read and thrown away, or enough of it. A connection that is closed with
 * data unread is reset, which can take the answer from a client that is still sending.
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
