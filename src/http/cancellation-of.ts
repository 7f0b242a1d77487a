import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Cancellation } from '../platform/kernel/cancellation.ts';

const cancellations = new WeakMap<Socket, Cancellation>();

/**
 * The cancellation for the client that waits for this response. It watches the connection and not the response: one
 * listener serves all of its requests, and a response queued behind another (pipelining) gets no event when both are lost.
 */
export function cancellationOf({ req: { socket } }: ServerResponse): Cancellation {
  const known = cancellations.get(socket);
  if (known) return known;
  const cancellation = new Cancellation();
  cancellations.set(socket, cancellation);
  if (socket.destroyed) cancellation.cancel();
  else socket.once('close', () => cancellation.cancel());
  return cancellation;
}
