import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../platform/kernel/error.ts';
import { applyGrid, GRID_SIZE, toGrid } from './grid.ts';

/** Converts cell coordinates back to degrees: Snyder's inverse of the Lambert conformal conic projection on a sphere. */
function toDegrees(nx: number, ny: number): { lat: number; lon: number } {
  const [p1, p2, origin] = [Math.PI / 6, Math.PI / 3, (38 * Math.PI) / 180];
  const t = (latitude: number) => Math.tan(Math.PI / 4 + latitude / 2);
  const n = Math.log(Math.cos(p1) / Math.cos(p2)) / Math.log(t(p2) / t(p1));
  const f = ((6371.00877 / 5) * Math.cos(p1) * t(p1) ** n) / n;
  const x = nx - 43;
  const y = f / t(origin) ** n - (ny - 136);
  const lat = 2 * Math.atan((f / Math.hypot(x, y)) ** (1 / n)) - Math.PI / 2;
  return { lat: (lat * 180) / Math.PI, lon: 126 + (Math.atan2(x, y) / n) * (180 / Math.PI) };
}

describe('toGrid', () => {
  it.each([
    [37.5665, 126.978, 60, 127],
    [35.1796, 129.0756, 98, 76],
    [33.4996, 126.5312, 53, 38],
    [37.488201, 126.92981, 59, 125],
    [38.0, 126.0, 43, 136],
  ])('maps %f N %f E to cell %i,%i', (lat, lon, nx, ny) => {
    expect(toGrid(lat, lon)).toEqual({ nx, ny });
  });

  it('maps every point of a cell, up to its edges, to that cell', () => {
    const offset = fc.double({ min: -0.499, max: 0.499, noNaN: true });
    const column = fc.integer({ min: 1, max: GRID_SIZE.nx });
    const row = fc.integer({ min: 1, max: GRID_SIZE.ny });
    fc.assert(
      fc.property(column, row, offset, offset, (nx, ny, dx, dy) => {
        const { lat, lon } = toDegrees(nx + dx, ny + dy);
        expect(toGrid(lat, lon)).toEqual({ nx, ny });
      }),
    );
  });

  it('returns null for points just beyond each edge', () => {
    for (const [nx, ny] of [
      [0.4, 100],
      [149.6, 100],
      [70, 0.4],
      [70, 253.6],
    ] as const) {
      const { lat, lon } = toDegrees(nx, ny);
      expect(toGrid(lat, lon)).toBeNull();
    }
  });

  it('returns a cell of the grid or null for any two numbers', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (lat, lon) => {
        const cell = toGrid(lat, lon);
        if (cell === null) return;
        expect(Number.isInteger(cell.nx) && Number.isInteger(cell.ny)).toBe(true);
        expect(cell.nx).toBeGreaterThanOrEqual(1);
        expect(cell.nx).toBeLessThanOrEqual(149);
        expect(cell.ny).toBeGreaterThanOrEqual(1);
        expect(cell.ny).toBeLessThanOrEqual(253);
      }),
    );
  });

  it.each([
    [91, 126],
    [-90, 126],
    [90, 126],
    [38, 486],
    [126.978, 37.5665],
    [Number.NaN, 126],
    [38, Number.POSITIVE_INFINITY],
  ])('returns null for %f, %f, which is not in or near Korea', (lat, lon) => {
    expect(toGrid(lat, lon)).toBeNull();
  });
});

function errorOf(args: Record<string, unknown>): GatewayError {
  try {
    applyGrid(args, true);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('The arguments were accepted.');
}

describe('applyGrid', () => {
  it('replaces a position with its grid cell and keeps all other arguments', () => {
    const args = { lat: 37.5665, lon: 126.978, numOfRows: 10 };
    expect(applyGrid(args, true)).toEqual({ nx: 60, ny: 127, numOfRows: 10 });
    expect(args).toEqual({ lat: 37.5665, lon: 126.978, numOfRows: 10 });
  });

  it('takes a cell and a position of the same point, and names both if they contradict each other', () => {
    const place = { lat: 37.5665, lon: 126.978 };
    expect(applyGrid({ nx: 60, ny: 127, ...place }, true)).toEqual({ nx: 60, ny: 127 });
    expect(errorOf({ nx: 98, ny: 76, ...place }).details.errors).toEqual(
      ['/nx', '/ny'].map((path) => ({
        path,
        message:
          'contradicts lat and lon, which are in column 60, row 127. Give either nx and ny, or lat and lon.',
      })),
    );
    expect(errorOf({ nx: 98, ny: 76, lat: 51.5, lon: 0 }).message).toContain('outside the grid');
    expect(errorOf({ nx: 98, ny: 76, lat: 37 }).message).toContain('required together with lat');
  });

  it('takes no point where the upstream does without one', () => {
    expect(applyGrid({ numOfRows: 10 }, false)).toEqual({ numOfRows: 10 });
    expect(() => applyGrid({ nx: 60 }, false)).toThrow('required together');
  });

  it('treats 0 as a coordinate, not as a missing one', () => {
    expect(errorOf({ lat: 0, lon: 0 }).details.errors?.[0]?.message).toContain('outside');
  });

  it.each([
    [{ lat: 37.5 }, '/lon', 'is required together with lat.'],
    [{ lon: 127 }, '/lat', 'is required together with lon.'],
    [{ nx: 60 }, '/ny', 'is required together with nx.'],
    [{ ny: 127, lat: 37.5, lon: 127 }, '/nx', 'is required together with ny.'],
    [{}, '', 'Give either nx and ny, or lat and lon.'],
    [{ lat: '37.5', lon: 127 }, '/lat', 'must be a number, in degrees.'],
  ])('rejects %j and says what is wrong', (args, path, message) => {
    const error = errorOf(args);
    expect(error.code).toBe('invalid_arguments');
    expect(error.details.errors).toEqual([{ path, message }]);
    expect(error.message).toBe(`${path} ${message}`.trim());
  });

  it('rejects a point outside the grid and names the allowed range', () => {
    const error = errorOf({ lat: 51.5, lon: -0.12 });
    expect(error.code).toBe('invalid_arguments');
    expect(error.details.errors?.map((issue) => issue.path)).toEqual(['/lat', '/lon']);
    expect(error.details.errors?.[0]?.message).toMatch(/31\.6 to 43\.5 degrees north/);
  });
});
