import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A response that does not end means that the entry is wrong. */
const MAX_WAIT_MS = 15_000;

/** A connection on which the whole request has been sent. */
export interface Wire {
  /** Everything received so far. */
  received(): Buffer;
  hasClosed(): boolean;
  /** Waits until the condition is true. Rejects when that takes too long. */
  until(condition: () => boolean): Promise<void>;
  close(): void;
}

/** Sends bytes on a new connection. */
export function openWire(address: string, bytes: Buffer): Wire {
  const { hostname, port } = new URL(address);
  const chunks: Buffer[] = [];
  let hasClosed = false;
  const socket = connect(Number(port), hostname)
    .on('data', (chunk: Buffer) => void chunks.push(chunk))
    .on('error', () => undefined)
    .on('close', () => {
      hasClosed = true;
    });
  socket.write(bytes);
  return {
    received: () => Buffer.concat(chunks),
    hasClosed: () => hasClosed,
    until: async (condition) => {
      const endMs = performance.now() + MAX_WAIT_MS;
      while (!condition()) {
        if (performance.now() > endMs) throw new Error('Timed out while waiting for a response.');
        await sleep(1);
      }
    },
    close: () => socket.destroy(),
  };
}
