import { LRUCache } from 'lru-cache';
import type { UpstreamResponse } from '../payload/upstream-response.ts';
import type { CacheEntry } from './entry-codec.ts';

export type MemoryStore = ReturnType<typeof createMemoryStore>;

/** A generous estimate of what an entry costs beside its strings and bytes: objects, map slots, links. */
const OVERHEAD_BYTES = 512;

/** Given by name, because the library creates an empty object for every `get` without options. */
const PLAIN = {};

interface Held {
  readonly entry: CacheEntry;
  /** The tenant that asked for it. */
  readonly tenantId: string;
  readonly bytes: number;
}

/** Entries of others that are passed over to find one of a tenant that must give way. */
const MAX_PASSED = 1000;

/**
 * The entries of this process. When the byte budget is spent, the least recently used are evicted: entries of a tenant that has
 * more than half of the budget, as long as others have any. 0 stores nothing.
 */
export function createMemoryStore(maxBytes: number) {
  const bytesOf = new Map<string, number>();
  /** At most one tenant has more than half: the last that came to have it, as long as it does. */
  let largest = '';
  const count = ({ tenantId, bytes }: Held, sign: 1 | -1): void => {
    const sum = (bytesOf.get(tenantId) ?? 0) + sign * bytes;
    if (sum === 0) bytesOf.delete(tenantId);
    else bytesOf.set(tenantId, sum);
    if (sum > maxBytes / 2) largest = tenantId;
  };
  // For lru-cache, 0 means "no limit"; no entry is as small as 1.
  const cache = new LRUCache<string, Held>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (held) => count(held, -1),
  });
  const mustGiveWay = (): boolean => bytesOf.size > 1 && (bytesOf.get(largest) ?? 0) > maxBytes / 2;
  /** What is passed over counts as used, so that it is not passed over again soon. */
  const makeRoom = (bytes: number): void => {
    for (let passed = 0; passed < MAX_PASSED; ) {
      if (cache.calculatedSize + bytes <= maxBytes || !mustGiveWay()) return;
      const [oldest = ''] = cache.rkeys();
      if (cache.peek(oldest)?.tenantId === largest) cache.delete(oldest);
      else if (cache.get(oldest)) passed++;
    }
  };
  return {
    get: (key: string): CacheEntry | undefined => cache.get(key, PLAIN)?.entry,
    /** `tenantId`: whose share it uses. */
    set(key: string, entry: CacheEntry, tenantId: string): void {
      const { json, url } = entry.response;
      const bytes = json.length + 2 * (key.length + url.length) + OVERHEAD_BYTES;
      if (bytes > maxBytes) return void cache.delete(key);
      makeRoom(bytes);
      const response = ownMemory(entry.response);
      const kept = response === entry.response ? entry : { ...entry, response };
      const held = { entry: kept, tenantId, bytes };
      count(held, 1);
      cache.set(key, held);
    },
    clear: (): void => cache.clear(),
    entries: (): number => cache.size,
    bytes: (): number => cache.calculatedSize,
  };
}

/** Copies a slice of a much larger buffer, which would otherwise stay in memory for as long as the slice is cached. */
function ownMemory(response: UpstreamResponse): UpstreamResponse {
  const { json } = response;
  if (json.buffer.byteLength <= 2 * json.length) return response;
  const copy = Buffer.allocUnsafeSlow(json.length);
  json.copy(copy);
  return { ...response, json: copy };
}
