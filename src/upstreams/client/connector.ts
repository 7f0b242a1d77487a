import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

const CONNECT_TIMEOUT_MS = 3000;

/** undici's connector, as all connections to upstreams use it. */
export const connectWith = (lookup: LookupFunction): buildConnector.connector =>
  buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup,
    autoSelectFamily: true,
    // By default, Node abandons an address after 250 ms, which is near the round trip to a distant upstream.
    autoSelectFamilyAttemptTimeout: 1000,
    // One request per connection, so that the pool's limit is the number of requests in flight.
    allowH2: false,
  });

const cutWhileReused = new WeakSet<Error>();

/** Also records which errors ended a connection that had served a response before. */
export const recordingReuse =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      const socket = result[1];
      if (socket) {
        const readBefore = socket.bytesRead;
        socket.on('error', (error) => {
          if (socket.bytesRead > readBefore) cutWhileReused.add(error);
        });
      }
      callback(...result);
    });

/**
 * Whether this error ended a kept-alive connection that had delivered bytes before. If no byte of the current response
 * arrived, the upstream closed an idle connection while the request was on its way (RFC 9112 section 9.3.1).
 */
export const wasReused = (error: unknown): boolean =>
  error instanceof Error && cutWhileReused.has(error);
