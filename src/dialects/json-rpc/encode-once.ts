import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { layerOf } from '../../tools/catalog-layer.ts';

/** Encodes lists of tools: the elements of a JSON array, with their commas, in pieces. */
export type EncodeEntries = (entries: readonly CatalogEntry[]) => readonly Buffer[];

/** Where the JSON of an entry is. */
interface Place {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

const COMMA = Buffer.from(',');

/** Beyond this number of pieces, a list gets bytes of its own, because each piece costs some time in every response. */
const MAX_PIECES = 16;

/**
 * Creates an encoder of lists of tools that encodes each layer of the catalog once: entries that are neighbours in a
 * layer and in a list become one piece, which is not copied. `toValue` returns undefined for a tool to be left out.
 */
export function encodeOnce(toValue: (entry: CatalogEntry) => object | undefined): EncodeEntries {
  const places = new WeakMap<CatalogEntry, Place>();

  /** Encodes entries that will be found next to one another. */
  function encodeBlock(entries: readonly CatalogEntry[]): void {
    const texts = entries.map((entry) => {
      const value = toValue(entry);
      return value === undefined ? undefined : JSON.stringify(value);
    });
    const bytes = Buffer.from(texts.filter((text) => text !== undefined).join(','));
    let start = 0;
    entries.forEach((entry, at) => {
      const length = Buffer.byteLength(texts[at] ?? '');
      places.set(entry, { bytes, start, end: start + length });
      if (length > 0) start += length + COMMA.length;
    });
  }

  function placeOf(entry: CatalogEntry): Place {
    const known = places.get(entry);
    if (known) return known;
    const layer = layerOf(entry)?.entries;
    encodeBlock(layer?.includes(entry) ? layer : [entry]);
    return places.get(entry) ?? EMPTY;
  }

  return memoizeEach((entries) => {
    const pieces = piecesOf(entries.map(placeOf));
    return pieces.length > MAX_PIECES ? [Buffer.concat(pieces)] : pieces;
  });
}

const EMPTY: Place = { bytes: Buffer.alloc(0), start: 0, end: 0 };

/** The bytes at these places, with commas between them. Places that are separated by one comma become one piece. */
function piecesOf(places: readonly Place[]): Buffer[] {
  const runs: Place[] = [];
  for (const place of places) {
    if (place.start === place.end) continue;
    const run = runs.at(-1);
    if (run?.bytes === place.bytes && run.end + COMMA.length === place.start) {
      runs[runs.length - 1] = { ...run, end: place.end };
    } else runs.push(place);
  }
  return runs.flatMap((run, at) => (at === 0 ? [bytesAt(run)] : [COMMA, bytesAt(run)]));
}

/** All bytes of a layer are always the same buffer, which is charged once, however many responses contain it. */
const bytesAt = ({ bytes, start, end }: Place): Buffer =>
  start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
