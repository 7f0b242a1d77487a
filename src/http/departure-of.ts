import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Departure } from '../platform/kernel/departure.ts';

const departures = new WeakMap<Socket, Departure>();

/**
 * The departure of the client that waits for this response. The connection is watched and not the response: one
 * listener serves every request of it, and a response queued behind another (pipelining) is not told when both are lost.
 */
export function departureOf({ req: { socket } }: ServerResponse): Departure {
  const known = departures.get(socket);
  if (known) return known;
  const departure = new Departure();
  departures.set(socket, departure);
  if (socket.destroyed) departure.leave();
  else socket.once('close', () => departure.leave());
  return departure;
}
