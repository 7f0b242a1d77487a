import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/platform/kernel/shipped-files.ts';

/** A place with a code that upstreams know. */
export interface Place {
  readonly code: string;
  /** Korean. */
  readonly name: string;
  /** Degrees, WGS84; NaN if not known. */
  readonly latitude: number;
  readonly longitude: number;
  /** Korean name of its province or city, that of an air station in short; empty if not known. */
  readonly province: string;
  /** False for districts of former years. */
  readonly exists: boolean;
}

const readLines = (path: string): string[][] =>
  readFileSync(join(PACKAGE_ROOT, path), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

/** The lines of a table in `facts`, each split into columns. */
export const readFacts = (name: string): string[][] => readLines(`sandbox/facts/${name}.tsv`);

/** The same of a table of codes that the gateway ships. */
export const readCodeTable = (name: string): string[][] => readLines(`codes/${name}.tsv`);

/** Reads a table when it is first used. */
export function onFirstUse<T>(read: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: read() };
    return value.of;
  };
}

type Column = 'code' | 'name' | 'latitude' | 'longitude' | 'province' | 'status';

/** The places of a table with these columns. */
const placesOf = (table: string, columns: readonly Column[]) =>
  onFirstUse((): readonly Place[] =>
    readFacts(table).map((cells) => {
      const cell = (column: Column): string => cells[columns.indexOf(column)] ?? '';
      const degrees = (text: string): number => (text ? Number(text) : Number.NaN);
      return {
        code: cell('code') || cell('name'),
        name: cell('name'),
        latitude: degrees(cell('latitude')),
        longitude: degrees(cell('longitude')),
        province: cell('province'),
        exists: cell('status') === 'current',
      };
    }),
  );

/** Stations of the weather agency that observe every hour. */
export const observatories = placesOf('asos-stations', ['code', 'name', 'latitude', 'longitude']);

export const tideStations = placesOf('tide-stations', ['code', 'name', 'latitude', 'longitude']);

/** Stations that measure the air; their name is their code. */
export const airStations = placesOf('air-stations', ['name', 'latitude', 'longitude', 'province']);

/** Districts, counties and cities: the first five digits of their legal-dong codes. */
export const districts = placesOf('districts', [
  'code',
  'province',
  'name',
  'latitude',
  'longitude',
  'status',
]);

export const districtOf = (code: string): Place | undefined =>
  districts().find((district) => district.code === code);

/** Name of the province or city with a code of two digits; undefined for any other code. */
export function provinceName(code: string): string | undefined {
  const within = code.length === 2 ? districts().filter((each) => each.code.startsWith(code)) : [];
  return (within.find(({ exists }) => exists) ?? within[0])?.province;
}

/** Codes of the provinces and cities that exist, of two digits. */
export const provinceCodes = onFirstUse((): readonly string[] => [
  ...new Set(districts().flatMap(({ code, exists }) => (exists ? [code.slice(0, 2)] : []))),
]);

/** The place that is nearest to a position. */
export function nearest(
  places: readonly Place[],
  latitude: number,
  longitude: number,
): Place | undefined {
  const distance = (place: Place): number =>
    Math.hypot(place.latitude - latitude, 0.8 * (place.longitude - longitude));
  const [first, ...others] = places.filter((place) => !Number.isNaN(place.latitude));
  return first && others.reduce((a, b) => (distance(b) < distance(a) ? b : a), first);
}

/** Roughly South Korea, degrees. */
const KOREA = { south: 33, north: 38.65, west: 124.5, east: 131.9 } as const;
/** Japanese islands within that rectangle. */
const TSUSHIMA = { north: 34.8, west: 129.1 } as const;

export const isInKorea = (latitude: number, longitude: number): boolean =>
  latitude >= KOREA.south &&
  latitude <= KOREA.north &&
  longitude >= KOREA.west &&
  longitude <= KOREA.east &&
  !(latitude < TSUSHIMA.north && longitude > TSUSHIMA.west);
