import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Messages for the host, one per line. */
export interface LineOutput {
  /** Resolves when the host can accept more. */
  write(line: string): Promise<void>;
  /** Resolves at once unless the host is slow to read earlier lines. */
  ready(): Promise<void>;
}

export function createLineOutput(stream: Writable): LineOutput {
  let drained: Promise<unknown> | null = null;

  async function ready(): Promise<void> {
    while (drained) await drained;
  }

  return {
    ready,
    write: async (line) => {
      await ready();
      if (stream.write(`${line}\n`)) return;
      drained = once(stream, 'drain').finally(() => {
        drained = null;
      });
      await drained;
    },
  };
}
