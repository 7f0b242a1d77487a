import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { Plugin } from 'vite';

/** Outlines of the land in degrees: x is the longitude, y the negative latitude. */
const MODULE = 'virtual:map-outlines';
const require = createRequire(import.meta.url);

/** West, south, east, north. */
type Window = readonly [number, number, number, number];
type Point = readonly [number, number];

const KOREA: Window = [122.5, 31, 134, 44];
const WORLD: Window = [-180, -60, 180, 84];

/** Cuts the maps of the playground out of Natural Earth (world-atlas) while the dashboard is built. */
export const mapOutlines = (): Plugin => ({
  name: 'map-outlines',
  resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
  load: (id) => {
    if (id !== `\0${MODULE}`) return null;
    const world = outline(
      readRings(require.resolve('world-atlas/land-110m.json'), 'land'),
      WORLD,
      1,
    );
    const all = outline(readRings(require.resolve('world-atlas/land-50m.json'), 'land'), KOREA, 2);
    const countries = require.resolve('world-atlas/countries-10m.json');
    const south = outline(readRings(countries, 'countries', 'South Korea'), KOREA, 2);
    return `export const world = ${JSON.stringify(world)};
export const surroundings = ${JSON.stringify(all)};
export const korea = ${JSON.stringify(south)};`;
  },
});

/** The rings of all polygons of an object, or of its one country of this name. */
function readRings(path: string, object: string, name?: string): Point[][] {
  const topology = JSON.parse(readFileSync(path, 'utf8')) as Parameters<typeof feature>[0];
  const found = topology.objects[object];
  if (!found) throw new Error(`${path} has no ${object}.`);
  const shapes = feature(topology, found) as unknown as { readonly features: readonly Shape[] };
  return shapes.features
    .filter(({ properties }) => name === undefined || properties.name === name)
    .flatMap(({ geometry: { type, coordinates } }) =>
      type === 'Polygon' ? (coordinates as Point[][]) : (coordinates as Point[][][]).flat(),
    );
}

interface Shape {
  readonly properties: { readonly name?: string };
  readonly geometry: {
    readonly type: 'Polygon' | 'MultiPolygon';
    readonly coordinates: unknown;
  };
}

const outline = (rings: readonly Point[][], window: Window, decimals: number): string =>
  rings
    .flatMap(acrossDateLine)
    .map((ring) => toPath(clip(ring, window), decimals))
    .filter(Boolean)
    .join('');

/** A ring that crosses the date line would be drawn across the whole map: it is drawn at both ends instead. */
function acrossDateLine(ring: readonly Point[]): readonly (readonly Point[])[] {
  let turns = 0;
  const unrolled = ring.map(([x, y], at): Point => {
    const before = ring[at - 1]?.[0] ?? x;
    if (Math.abs(x - before) > 180) turns += x < before ? 1 : -1;
    return [x + 360 * turns, y];
  });
  const shifted = (by: number) => unrolled.map(([x, y]): Point => [x + by, y]);
  const isWithin = unrolled.every(([x]) => Math.abs(x) <= 180);
  return isWithin ? [unrolled] : [unrolled, shifted(-360), shifted(360)];
}

/** Cuts a ring at each side of the window in turn (Sutherland and Hodgman). */
function clip(ring: readonly Point[], [west, south, east, north]: Window): readonly Point[] {
  const sides = [
    { axis: 0, limit: west, keep: 1 },
    { axis: 0, limit: east, keep: -1 },
    { axis: 1, limit: south, keep: 1 },
    { axis: 1, limit: north, keep: -1 },
  ] as const;
  return sides.reduce<readonly Point[]>((points, { axis, limit, keep }) => {
    const isInside = (point: Point) => keep * (point[axis] - limit) >= 0;
    return points.flatMap((point, at) => {
      const before = points.at(at - 1) ?? point;
      const crossing =
        isInside(point) === isInside(before) ? [] : [crossingOf(before, point, axis, limit)];
      return isInside(point) ? [...crossing, point] : crossing;
    });
  }, ring);
}

function crossingOf(from: Point, to: Point, axis: 0 | 1, limit: number): Point {
  const share = (limit - from[axis]) / (to[axis] - from[axis]);
  const at = (other: 0 | 1) => from[other] + share * (to[other] - from[other]);
  return axis === 0 ? [limit, at(1)] : [at(0), limit];
}

/** A closed path without points that fall together at this precision; islands that shrink to a point vanish. */
function toPath(ring: readonly Point[], decimals: number): string {
  const texts = ring.map(([x, y]) => `${+x.toFixed(decimals)},${+(-y).toFixed(decimals)}`);
  const distinct = texts.filter((text, at) => text !== texts[at - 1]);
  return distinct.length < 4 ? '' : `M${distinct.join('L')}Z`;
}
