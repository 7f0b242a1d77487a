import { memoryLimits } from '../../platform/kernel/memory-limit.ts';
import { repeat } from '../../platform/kernel/time.ts';
import { collectGarbage } from './v8-flags.ts';

/** From this part of the memory on, garbage is collected at once. */
const HIGH_PART = 3 / 4;
/** In a tenth of a second, large requests can leave 100 MB of garbage. */
const PAUSE_MS = 25;
/** Below half of the memory. */
const QUIET_PAUSE_MS = 250;
/** A collection stops everything for some 80 ms, so the next one waits this long, */
const REST_MS = 5000;
/** unless the process has grown by this part of the memory meanwhile. */
const GROWTH_PART = 1 / 16;

interface MemoryReliefOptions {
  /** MEMORY_LIMIT_BYTES, if the operator has set it. */
  readonly limitBytes: number | undefined;
  readonly rssBytes?: () => number;
  readonly collect?: () => void;
}

/**
 * Collects garbage while the process takes most of its memory. By itself, V8 lets the buffers of bodies wait until 64 MB
 * of them are unused, and then collects at its leisure. Returns what ends this.
 */
export function relieveMemory({
  limitBytes,
  rssBytes = process.memoryUsage.rss,
  collect = () => collectGarbage('regular'),
}: MemoryReliefOptions): () => void {
  const { memoryBytes } = memoryLimits(limitBytes);
  const highBytes = memoryBytes * HIGH_PART;
  let bytes = 0;
  let restUntilMs = 0;
  /** The least since the last collection. Its memory returns to the system only after it. */
  let leastBytes = 0;
  return repeat(
    async () => {
      bytes = rssBytesOr0(rssBytes);
      leastBytes = Math.min(leastBytes, bytes);
      const isResting =
        performance.now() < restUntilMs && bytes < leastBytes + memoryBytes * GROWTH_PART;
      if (bytes <= highBytes || isResting) return;
      collect();
      restUntilMs = performance.now() + REST_MS;
      leastBytes = bytes;
    },
    () => (bytes < memoryBytes / 2 ? QUIET_PAUSE_MS : PAUSE_MS),
  );
}

/** 0 while it cannot be told: on Linux, the memory of the process is read from a file, which needs a descriptor. */
function rssBytesOr0(rssBytes: () => number): number {
  try {
    return rssBytes();
  } catch {
    return 0;
  }
}
