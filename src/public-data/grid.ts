import { type ArgumentIssue, GatewayError } from '../platform/kernel/error.ts';
import type { ArgumentAlternative } from '../tools/model.ts';

// The edges of the grid are curved; this is its bounding box.
const COVERED_AREA =
  'about 31.6 to 43.5 degrees north and 123.3 to 132.8 degrees east (Korea and its seas)';

const fail = (...errors: ArgumentIssue[]): never => {
  const [first] = errors;
  const sentence = first && `${first.path} ${first.message}`.trim();
  throw new GatewayError('invalid_arguments', sentence, { details: { errors } });
};

const missing = (name: string, given: string): never =>
  fail({ path: `/${name}`, message: `is required together with ${given}.` });

function degrees(name: string, value: unknown): number {
  return typeof value === 'number'
    ? value
    : fail({ path: `/${name}`, message: 'must be a number, in degrees.' });
}

function contradiction(cell: GridCell | null): never {
  const where = cell ? `are in column ${cell.nx}, row ${cell.ny}` : 'are outside the grid';
  const message = `contradicts lat and lon, which ${where}. Give either nx and ny, or lat and lon.`;
  return fail({ path: '/nx', message }, { path: '/ny', message });
}

/**
 * Converts `lat` and `lon` to `nx` and `ny` (docs/contract.md#public-data-middleware). Throws
 * `invalid_arguments` for half a pair, for two pairs that name different points, for a point outside the grid, and for no
 * pair where the upstream requires one.
 */
export function applyGrid(
  args: Readonly<Record<string, unknown>>,
  isRequired: boolean,
): Record<string, unknown> {
  const { lat, lon, ...rest } = args;
  const { nx, ny } = rest;
  const isCell = nx !== undefined && ny !== undefined;
  if (isCell && lat === undefined && lon === undefined) return rest;
  if (nx !== undefined && !isCell) return missing('ny', 'nx');
  if (ny !== undefined && !isCell) return missing('nx', 'ny');
  if (lat === undefined && lon === undefined) {
    if (!isRequired) return rest;
    return fail({ path: '', message: 'Give either nx and ny, or lat and lon.' });
  }
  if (lon === undefined) return missing('lon', 'lat');
  if (lat === undefined) return missing('lat', 'lon');
  const cell = toGrid(degrees('lat', lat), degrees('lon', lon));
  if (isCell && (cell?.nx !== Number(nx) || cell?.ny !== Number(ny))) return contradiction(cell);
  const message = `is outside the forecast grid. Allowed: ${COVERED_AREA}.`;
  return cell ? { ...rest, ...cell } : fail({ path: '/lat', message }, { path: '/lon', message });
}

/** A cell of the weather agency's 5 km forecast grid. */
interface GridCell {
  /** Column, 1 (west) to 149. */
  readonly nx: number;
  /** Row, 1 (south) to 253. */
  readonly ny: number;
}

/** Size of the forecast grid, in cells. */
export const GRID_SIZE = { nx: 149, ny: 253 } as const;

const RADIANS = Math.PI / 180;
const EARTH_RADIUS_KM = 6371.00877;
const CELL_KM = 5;
const ORIGIN = { latitude: 38 * RADIANS, longitude: 126 * RADIANS, nx: 43, ny: 136 } as const;
const PARALLELS = [30 * RADIANS, 60 * RADIANS] as const;

/** tan(45 degrees + latitude / 2): the exponential of the isometric latitude. */
const stretch = (latitude: number): number => Math.tan(Math.PI / 4 + latitude / 2);

const CONE =
  Math.log(Math.cos(PARALLELS[0]) / Math.cos(PARALLELS[1])) /
  Math.log(stretch(PARALLELS[1]) / stretch(PARALLELS[0]));
const SCALE =
  ((EARTH_RADIUS_KM / CELL_KM) * Math.cos(PARALLELS[0]) * stretch(PARALLELS[0]) ** CONE) / CONE;

/** Distance of a latitude from the apex of the cone, in cells. */
const radius = (latitude: number): number => SCALE / stretch(latitude) ** CONE;

const ORIGIN_RADIUS = radius(ORIGIN.latitude);

/**
 * The cell that contains a point given in WGS84 degrees; null if the point is outside the grid. Uses the DFS Lambert
 * conformal conic projection (docs/contract.md#public-data-middleware).
 */
export function toGrid(lat: number, lon: number): GridCell | null {
  const distance = radius(lat * RADIANS);
  const angle = (lon * RADIANS - ORIGIN.longitude) * CONE;
  const nx = Math.round(distance * Math.sin(angle) + ORIGIN.nx);
  const ny = Math.round(ORIGIN_RADIUS - distance * Math.cos(angle) + ORIGIN.ny);
  // Written so that NaN, which results from invalid coordinates, counts as outside.
  const inside = nx >= 1 && nx <= GRID_SIZE.nx && ny >= 1 && ny <= GRID_SIZE.ny;
  return inside && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { nx, ny } : null;
}

/**
 * Lets callers give `lat` and `lon` instead of the weather agency's `nx` and `ny`, within the bounding box of its grid, in
 * WGS84 degrees, rounded outwards.
 */
export const GRID_ALTERNATIVE: ArgumentAlternative = {
  extension: 'x-grid',
  isRequired: true,
  replaces: { nx: 'Grid column (west to east).', ny: 'Grid row (south to north).' },
  note: 'Give either nx and ny, or lat and lon.',
  schemas: {
    lat: {
      type: 'number',
      minimum: 31.6,
      maximum: 43.5,
      description:
        'Latitude in degrees (WGS84) of a place in or near Korea, with lon instead of nx and ny.',
      examples: [37.5665],
    },
    lon: {
      type: 'number',
      minimum: 123.2,
      maximum: 132.9,
      description:
        'Longitude in degrees (WGS84) of a place in or near Korea, with lat instead of nx and ny.',
      examples: [126.978],
    },
  },
  korean: {
    lat: '한국과 그 주변의 위도(WGS84). nx와 ny 대신 lon과 함께 지정합니다.',
    lon: '한국과 그 주변의 경도(WGS84). nx와 ny 대신 lat과 함께 지정합니다.',
  },
  apply: applyGrid,
};
