import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

const cutWhileReused = new WeakSet<Error>();

export interface ConnectorOptions {
  readonly connect?: buildConnector.connector;
  readonly connectTimeoutMs: number;
  readonly lookup?: LookupFunction;
}

/** Opens the connections of one origin, and remembers which errors ended a connection that had served before. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const connect =
    options.connect ??
    buildConnector({
      timeout: options.connectTimeoutMs,
      ...(options.lookup ? { lookup: options.lookup } : {}),
      autoSelectFamily: true,
      // Node gives up an address after 250 ms by default, which is near the round trip to a distant upstream.
      autoSelectFamilyAttemptTimeout: 1000,
      // One request a connection, so that the pool's limit is the number of requests under way.
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
 * Whether this error ended a kept-alive connection that had been read from before. Together with "no byte of
 * this answer" it means that the upstream closed an idle connection while our request was on its way
 * (RFC 9112 section 9.3.1).
 */
export function wasReused(error: unknown): boolean {
  return error instanceof Error && cutWhileReused.has(error);
}
