import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An answer that does not end is a fault of the entry. */
const MAX_WAIT_MS = 15_000;

/** A connection on which everything has been sent. */
export interface Wire {
  /** All that has come so far. */
  received(): Buffer;
  hasClosed(): boolean;
  /** Waits until something has come true. Rejects when that takes too long. */
  until(condition: () => boolean): Promise<void>;
  close(): void;
}

/** Sends bytes on a connection of their own. */
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
        if (performance.now() > endMs) throw new Error('What was waited for did not come.');
        await sleep(1);
      }
    },
    close: () => socket.destroy(),
  };
}
