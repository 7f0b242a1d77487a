import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { ChainWriter } from './chain-writer.ts';

const INTERVAL_MS = 3_600_000;

/**
 * Anchors the chain every hour, also one at rest, whose end would otherwise be swept with all the rest of it; and when
 * closed, so that what was written last is anchored too.
 */
export function createChainAnchors(deps: {
  readonly chain: ChainWriter;
  readonly onFault: (error: unknown) => void;
}): Closeable {
  const anchor = (): void => {
    try {
      if (deps.chain.head()) deps.chain.anchor();
    } catch (error) {
      deps.onFault(error);
    }
  };
  const timer = setInterval(anchor, INTERVAL_MS).unref();
  let closed = false;
  return {
    close: async () => {
      clearInterval(timer);
      if (!closed) anchor();
      closed = true;
    },
  };
}
