import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/** The smallest useful budget: twice the largest response that the default settings allow, for each of two tenants. */
const MIN_BUDGET_BYTES = 48 * MIB;

/**
 * The part of the available memory that may be used. The rest is for the idle process (about 140 MB), for V8, which lets
 * its heap grow well beyond what is in use before it collects, and for the thread that reads large payloads.
 */
const PART_OF_MEMORY = 3 / 16;
const PART_OF_HEAP = 1 / 2;

export interface MemoryLimits {
  /** Memory of the container (cgroup) or the machine, whichever is smaller. */
  readonly memoryBytes: number;
  /** V8's own limit for its heap. */
  readonly heapBytes: number;
}

/** The memory limits that the system reports. `configuredBytes` overrides its memory, for a limit that it does not know. */
export function memoryLimits(configuredBytes: number | undefined): MemoryLimits {
  // 0 where the system reports no limit, and 2^64 - 1 in a container without one.
  const constrainedBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return {
    memoryBytes: configuredBytes ?? Math.min(constrainedBytes, totalmem()),
    heapBytes: getHeapStatistics().heap_size_limit,
  };
}

/** V8's heap on a thread that reads one document at a time. */
const threadHeapMib = ({ memoryBytes }: MemoryLimits, minMib: number): number =>
  Math.min(1024, Math.max(minMib, Math.floor(memoryBytes / 4 / MIB)));

/** XML grows to about ten times its size on the thread that reads large payloads. */
const MIN_PAYLOAD_HEAP_MIB = 96;
/** A large description grows to twenty times its size on a thread that compiles it. */
const MIN_DESCRIPTION_HEAP_MIB = 128;

/** What registered APIs may take: each thread that compiles descriptions, and the compiled tools of tenants that are in use. */
export function registrationMemory(limits: MemoryLimits) {
  const layerBytes = Math.floor(limits.memoryBytes / 16);
  return {
    threadHeapMib: threadHeapMib(limits, MIN_DESCRIPTION_HEAP_MIB),
    layerBytes: Math.min(512 * MIB, Math.max(32 * MIB, layerBytes)),
  };
}

/** Below this, a thread that takes 30 to 50 MB ends soon after its last work. */
const LITTLE_MEMORY_BYTES = 1024 * MIB;

/** Divides the available memory between the cache, large bodies in use, and the thread for payloads. */
export function allotMemory(limits: MemoryLimits, maxCacheBytes: number) {
  const { memoryBytes, heapBytes } = limits;
  const shareBytes = Math.min(memoryBytes * PART_OF_MEMORY, heapBytes * PART_OF_HEAP);
  const bytes = Math.max(MIN_BUDGET_BYTES, Math.floor(shareBytes));
  const cacheBytes = Math.min(maxCacheBytes, Math.floor(bytes / 2));
  return {
    cacheBytes,
    budgetBytes: bytes - cacheBytes,
    threadHeapMib: threadHeapMib(limits, MIN_PAYLOAD_HEAP_MIB),
    argumentIdleMs: memoryBytes < LITTLE_MEMORY_BYTES ? 5000 : 300_000,
  };
}
