import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/** The least that a budget is of use with: the largest answer that settings allow by default, twice, for two tenants. */
const MIN_BUDGET_BYTES = 48 * MIB;

/**
 * What may be used of the memory there is. The rest is for the process at rest (some 140 MB), for V8, which lets its
 * heap grow well beyond what is in use before it collects, and for the thread that reads large payloads.
 */
const PART_OF_MEMORY = 3 / 16;
const PART_OF_HEAP = 1 / 2;

export interface MemoryLimits {
  /** Of the container (cgroup) or the machine, whichever is smaller. */
  readonly memoryBytes: number;
  /** V8's own limit of its heap. */
  readonly heapBytes: number;
}

/** What this process may use at most, as far as the system says. `configuredBytes` stands for a limit that it does not know of. */
export function memoryLimits(configuredBytes: number | undefined): MemoryLimits {
  // 0 where the system knows of no limit, and 2^64 - 1 where a container has none.
  const constrainedBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return {
    memoryBytes: configuredBytes ?? Math.min(constrainedBytes, totalmem()),
    heapBytes: getHeapStatistics().heap_size_limit,
  };
}

/** Bytes for large bodies and answers, the cache among them. */
const budgetFor = ({ memoryBytes, heapBytes }: MemoryLimits): number =>
  Math.max(
    MIN_BUDGET_BYTES,
    Math.floor(Math.min(memoryBytes * PART_OF_MEMORY, heapBytes * PART_OF_HEAP)),
  );

/** V8's heap on the thread that reads large payloads: XML becomes some ten times its size there, one document at a time. */
const threadHeapMib = ({ memoryBytes }: MemoryLimits): number =>
  Math.min(1024, Math.max(96, Math.floor(memoryBytes / 4 / MIB)));

/** Divides the memory there is between the cache, everything large that is under way, and the thread for payloads. */
export function allotMemory(limits: MemoryLimits, maxCacheBytes: number) {
  const bytes = budgetFor(limits);
  const cacheBytes = Math.min(maxCacheBytes, Math.floor(bytes / 2));
  return { cacheBytes, budgetBytes: bytes - cacheBytes, threadHeapMib: threadHeapMib(limits) };
}
