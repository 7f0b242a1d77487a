import type { Point } from './code-hit.ts';

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** Great-circle distance of two points in kilometres. */
export function distanceKm(one: Point, other: Point): number {
  const latitudes = (other.lat - one.lat) * RADIANS;
  const longitudes = (other.lon - one.lon) * RADIANS;
  const half =
    Math.sin(latitudes / 2) ** 2 +
    Math.cos(one.lat * RADIANS) * Math.cos(other.lat * RADIANS) * Math.sin(longitudes / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** The rows of a table that have coordinates; `degrees` holds latitude and longitude of each in turn. */
export interface Positions {
  readonly rows: Uint16Array;
  readonly degrees: Float64Array;
}

/** All rows with coordinates, the nearest first; rows at the same distance in the order of the table. */
export function nearestRows(positions: Positions, point: Point): { row: number; km: number }[] {
  const { rows, degrees } = positions;
  const distances = Array.from(rows, (row, index) => ({
    row,
    km: distanceKm(point, { lat: degrees[2 * index] ?? 0, lon: degrees[2 * index + 1] ?? 0 }),
  }));
  return distances.sort((one, other) => one.km - other.km || one.row - other.row);
}
