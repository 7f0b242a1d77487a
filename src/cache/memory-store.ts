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
    sizeCalculation: ({ response }, key) =>
      response.json.length + 2 * (key.length + response.url.length) + OVERHEAD_BYTES,
  });
  return {
    get: (key) => cache.get(key),
    set(key, entry) {
      const response = ownMemory(entry.response);
      cache.set(key, response === entry.response ? entry : { ...entry, response });
    },
    clear: () => cache.clear(),
    entries: () => cache.size,
    bytes: () => cache.calculatedSize,
  };
}
