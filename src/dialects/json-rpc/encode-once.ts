import type { CatalogEntry } from '../../tools/catalog-entry.ts';

/** Encodes a list of tools as JSON, once for every list that the catalog hands out. */
export function encodeOnce(
  toValue: (entries: readonly CatalogEntry[]) => unknown,
): (entries: readonly CatalogEntry[]) => Buffer {
  const encoded = new WeakMap<readonly CatalogEntry[], Buffer>();
  return (entries) => {
    const known = encoded.get(entries);
    if (known) return known;
    const bytes = Buffer.from(JSON.stringify(toValue(entries)));
    encoded.set(entries, bytes);
    return bytes;
  };
}
