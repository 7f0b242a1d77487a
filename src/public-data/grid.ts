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
