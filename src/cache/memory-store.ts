import { LRUCache } from 'lru-cache';
import type { CacheEntry } from './cache-entry.ts';
import { ownMemory } from './cache-entry.ts';

/** A generous guess at what an entry costs beside its texts: objects, map slots, links. */
const OVERHEAD_BYTES = 512;

/** Entries of this process, the least recently used going first when the byte budget is spent. */
export interface MemoryStore {
  get(key: string): CacheEntry | undefined;
  set(key: string, entry: CacheEntry): void;
  clear(): void;
  entries(): number;
  bytes(): number;
}

/** `maxBytes` 0 keeps nothing. */
export function createMemoryStore(maxBytes: number): MemoryStore {
  // lru-cache takes 0 for "no limit", hence the 1: no entry is that small.
  const cache = new LRUCache<string, CacheEntry>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ answer }, key) =>
      answer.json.length + 2 * (key.length + answer.url.length) + OVERHEAD_BYTES,
  });
  return {
    get: (key) => cache.get(key),
    set(key, entry) {
      const answer = ownMemory(entry.answer);
      cache.set(key, answer === entry.answer ? entry : { ...entry, answer });
    },
    clear: () => cache.clear(),
    entries: () => cache.size,
    bytes: () => cache.calculatedSize,
  };
}
