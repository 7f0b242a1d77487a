import { LRUCache } from 'lru-cache';
import type { CacheEntry } from './cache-entry.ts';
import { ownMemory } from './cache-entry.ts';

/** A generous estimate of what an entry costs beside its strings and bytes: objects, map slots, links. */
const OVERHEAD_BYTES = 512;

/** The entries of this process. When the byte budget is spent, the least recently used are evicted. */
export interface MemoryStore {
  get(key: string): CacheEntry | undefined;
  set(key: string, entry: CacheEntry): void;
  clear(): void;
  entries(): number;
  bytes(): number;
}

/** Given by name, because the library creates an empty object for every `get` without options. */
const PLAIN = {};

/** A `maxBytes` of 0 stores nothing. */
export function createMemoryStore(maxBytes: number): MemoryStore {
  // For lru-cache, 0 means "no limit"; no entry is as small as 1.
  const cache = new LRUCache<string, CacheEntry>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ response }, key) =>
      response.json.length + 2 * (key.length + response.url.length) + OVERHEAD_BYTES,
  });
  return {
    get: (key) => cache.get(key, PLAIN),
    set(key, entry) {
      const response = ownMemory(entry.response);
      cache.set(key, response === entry.response ? entry : { ...entry, response });
    },
    clear: () => cache.clear(),
    entries: () => cache.size,
    bytes: () => cache.calculatedSize,
  };
}
