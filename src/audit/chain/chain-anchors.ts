import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { ChainWriter } from './chain-writer.ts';

const INTERVAL_MS = 3_600_000;

/**
 * Anchors the chain every hour and on close. An idle chain is anchored as well: a sweep would otherwise delete its last
 * link with all the others. A start that fails leaves a chain without links, and logs nothing.
 */
export function createChainAnchors(deps: {
  readonly chain: ChainWriter;
  readonly onError: (error: unknown) => void;
}): Closeable {
  const anchor = (): void => {
    try {
      deps.chain.anchor();
    } catch (error) {
      deps.onError(error);
    }
  };
  const timer = setInterval(anchor, INTERVAL_MS).unref();
  let closed = false;
  return {
    close: async () => {
      clearInterval(timer);
      if (!closed && deps.chain.isUnanchored()) anchor();
      closed = true;
    },
  };
}
