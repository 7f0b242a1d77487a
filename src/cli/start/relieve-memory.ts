import { memoryLimits } from '../../platform/kernel/memory-limit.ts';
import { repeat } from '../../platform/kernel/time.ts';
import { collectGarbage } from './v8-flags.ts';

/** From this part of the memory on, garbage is collected at once. */
const HIGH_PART = 4 / 5;
const PAUSE_MS = 250;
/** A collection stops everything for some 80 ms, so the next one waits this long, */
const REST_MS = 5000;
/** unless the process has grown by this part of the memory since. */
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
  let rest = { untilMs: 0, belowBytes: 0 };
  return repeat(
    async () => {
      const bytes = rssBytesOr0(rssBytes);
      const isResting = performance.now() < rest.untilMs && bytes < rest.belowBytes;
      if (bytes <= highBytes || isResting) return;
      collect();
      rest = {
        untilMs: performance.now() + REST_MS,
        belowBytes: rssBytesOr0(rssBytes) + memoryBytes * GROWTH_PART,
      };
    },
    () => PAUSE_MS,
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
