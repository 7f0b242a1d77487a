import type { ArgumentAlternative } from '../tools/model.ts';
import { applyGrid } from './apply-grid.ts';

/** Bounding box of the weather agency's 149 x 253 grid, in WGS84 degrees, rounded outwards. */
const LATITUDE = { minimum: 31.6, maximum: 43.5 };
const LONGITUDE = { minimum: 123.2, maximum: 132.9 };

/** Lets callers give `lat` and `lon` instead of the weather agency's `nx` and `ny`. */
export const GRID_ALTERNATIVE: ArgumentAlternative = {
  extension: 'x-grid',
  replaces: {
    nx: 'Grid column (west to east).',
    ny: 'Grid row (south to north).',
  },
  note: 'Give either nx and ny, or lat and lon.',
  schemas: {
    lat: {
      type: 'number',
      ...LATITUDE,
      description:
        'Latitude in degrees (WGS84) of a place in or near Korea, with lon instead of nx and ny.',
      examples: [37.5665],
    },
    lon: {
      type: 'number',
      ...LONGITUDE,
      description:
        'Longitude in degrees (WGS84) of a place in or near Korea, with lat instead of nx and ny.',
      examples: [126.978],
    },
  },
  apply: applyGrid,
};
