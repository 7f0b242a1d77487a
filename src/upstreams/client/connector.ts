import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

const CONNECT_TIMEOUT_MS = 3000;

const cutWhileReused = new WeakSet<Error>();

export interface ConnectorOptions {
  readonly connect?: buildConnector.connector;
  readonly lookup: LookupFunction;
}

/** Opens the connections of one origin, and records which errors ended a connection that had served a response before. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const connect =
    options.connect ??
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      lookup: options.lookup,
      autoSelectFamily: true,
      // By default, Node abandons an address after 250 ms, which is near the round trip to a distant upstream.
      autoSelectFamilyAttemptTimeout: 1000,
      // One request per connection, so that the pool's limit is the number of requests in flight.
      allowH2: false,
    });
  return (target, callback) =>
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
}

/**
 * Whether this error ended a kept-alive connection that had delivered bytes before. If no byte of the current response
 * arrived, the upstream closed an idle connection while the request was on its way (RFC 9112 section 9.3.1).
 */
export function wasReused(error: unknown): boolean {
  return error instanceof Error && cutWhileReused.has(error);
}
