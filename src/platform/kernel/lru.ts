import { LRUCache } from 'lru-cache';

const one = (): number => 1;

/**
 * A map of at most `max` entries, which forgets the least recently used one first. With its option `max`, the library would
 * reserve memory for all of them at once: 3 MB for 100,000, which every full collection reads.
 */
export const createLru = <V extends {}>(
  max: number,
  options: Pick<LRUCache.OptionsBase<string, V, unknown>, 'ttl' | 'dispose'> = {},
): LRUCache<string, V> => new LRUCache({ ...options, maxSize: max, sizeCalculation: one });
