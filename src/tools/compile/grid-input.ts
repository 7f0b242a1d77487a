import type { InputDraft } from './compile-context.ts';

/** Where the weather agency's 149 x 253 grid lies, in WGS84 degrees, rounded outwards to a box. */
const LATITUDE = { minimum: 31.6, maximum: 43.5 };
const LONGITUDE = { minimum: 123.2, maximum: 132.9 };

/** Does the tool take a grid point, and are the names of its alternative free? */
export function canOfferPlace({ properties }: InputDraft): boolean {
  return (
    ['nx', 'ny'].every((name) => properties.has(name)) &&
    !['lat', 'lon'].some((name) => properties.has(name))
  );
}

/**
 * Offers `lat`,`lon` beside `nx`,`ny`. That one of the pairs must be there is said in words and checked when the
 * tool is called: as `anyOf` at the root some model APIs would refuse the whole tool.
 */
export function offerPlace({ properties, required }: InputDraft): void {
  for (const [name, axis] of [
    ['nx', 'column (west to east)'],
    ['ny', 'row (south to north)'],
  ] as const) {
    const schema = properties.get(name);
    const said =
      typeof schema?.['description'] === 'string' ? schema['description'] : `Grid ${axis}.`;
    const description = `${said} Give either nx and ny, or lat and lon.`;
    properties.set(name, { ...schema, description });
    required.delete(name);
  }
  properties.set('lat', {
    type: 'number',
    ...LATITUDE,
    description:
      'Latitude in degrees (WGS84) of a place in or near Korea, with lon instead of nx and ny.',
    examples: [37.5665],
  });
  properties.set('lon', {
    type: 'number',
    ...LONGITUDE,
    description:
      'Longitude in degrees (WGS84) of a place in or near Korea, with lat instead of nx and ny.',
    examples: [126.978],
  });
}
