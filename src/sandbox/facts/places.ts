import { readFileSync } from 'node:fs';

/** A place with a code that upstreams know. */
export interface Place {
  readonly code: string;
  /** Korean. */
  readonly name: string;
  /** Degrees, WGS84; NaN if not known. */
  readonly latitude: number;
  readonly longitude: number;
}

/** A district, county or city: the first five digits of its legal-dong codes. */
export interface District extends Place {
  /** Korean name of its province or city. */
  readonly province: string;
  /** False for districts of former years. */
  readonly exists: boolean;
}

export interface AirStation extends Place {
  /** Short Korean name of its province or city. */
  readonly province: string;
}

const coordinate = (text: string | undefined): number => (text ? Number(text) : Number.NaN);

const readLines = (path: string): string[][] =>
  readFileSync(new URL(path, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

/** The lines of a table beside this file, each split into columns. */
export const readFacts = (name: string): string[][] => readLines(`./${name}.tsv`);

/** The same of a table of codes that the gateway ships. */
export const readCodeTable = (name: string): string[][] =>
  readLines(`../../../data/codes/${name}.tsv`);

/** Reads a table when it is first used. */
export function onFirstUse<T>(read: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: read() };
    return value.of;
  };
}

const placesOf = (name: string) =>
  onFirstUse((): readonly Place[] =>
    readFacts(name).map(([code = '', label = '', latitude, longitude]) => ({
      code,
      name: label,
      latitude: coordinate(latitude),
      longitude: coordinate(longitude),
    })),
  );

/** Stations of the weather agency that observe every hour. */
export const observatories = placesOf('asos-stations');

/** Stations with tide forecasts. */
export const tideStations = placesOf('tide-stations');

export const airStations = onFirstUse((): readonly AirStation[] =>
  readFacts('air-stations').map(([name = '', latitude, longitude, province = '']) => ({
    code: name,
    name,
    latitude: coordinate(latitude),
    longitude: coordinate(longitude),
    province,
  })),
);

export const districts = onFirstUse((): readonly District[] =>
  readFacts('districts').map(
    ([code = '', province = '', name = '', latitude, longitude, status]) => ({
      code,
      province,
      name,
      latitude: coordinate(latitude),
      longitude: coordinate(longitude),
      exists: status === 'current',
    }),
  ),
);

export const districtOf = (code: string): District | undefined =>
  districts().find((district) => district.code === code);

/** Name of the province or city with a code of two digits; undefined for any other code. */
export const provinceName = (code: string): string | undefined =>
  districts().find(
    (district) => district.exists && district.code.startsWith(code) && code.length === 2,
  )?.province ??
  districts().find((district) => district.code.startsWith(code) && code.length === 2)?.province;

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
  let found: Place | undefined;
  for (const place of places) {
    if (Number.isNaN(place.latitude)) continue;
    if (!found || distance(place) < distance(found)) found = place;
  }
  return found;
}
