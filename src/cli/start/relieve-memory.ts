import { memoryLimits } from '../../platform/kernel/memory-limit.ts';
import { repeat } from '../../platform/kernel/time.ts';
import { collectGarbage } from './v8-flags.ts';

/** From this part of the memory on, garbage is collected at once. */
const HIGH_PART = 4 / 5;
const PAUSE_MS = 250;
/** After a collection, which stops everything for some 80 ms. */
const REST_MS = 5000;

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
  const highBytes = memoryLimits(limitBytes).memoryBytes * HIGH_PART;
  let isHigh = false;
  return repeat(
    async () => {
      isHigh = isAbove(highBytes, rssBytes);
      if (isHigh) collect();
    },
    () => (isHigh ? REST_MS : PAUSE_MS),
  );
}

/** False while it cannot be told: on Linux, the memory of the process is read from a file, which needs a descriptor. */
function isAbove(bytes: number, rssBytes: () => number): boolean {
  try {
    return rssBytes() > bytes;
  } catch {
    return false;
  }
}
