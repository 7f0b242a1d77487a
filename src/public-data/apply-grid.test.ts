import { describe, expect, it } from 'vitest';
import { GatewayError } from '../platform/kernel/error.ts';
import { applyGrid } from './apply-grid.ts';

function errorOf(args: Record<string, unknown>): GatewayError {
  try {
    applyGrid(args);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('The arguments were accepted.');
}

describe('applyGrid', () => {
  it('replaces a position with its grid cell and keeps all other arguments', () => {
    const args = { lat: 37.5665, lon: 126.978, numOfRows: 10 };
    expect(applyGrid(args)).toEqual({ nx: 60, ny: 127, numOfRows: 10 });
    expect(args).toEqual({ lat: 37.5665, lon: 126.978, numOfRows: 10 });
  });

  it('prefers the cell if the caller gives both a cell and a position', () => {
    expect(applyGrid({ nx: 98, ny: 76, lat: 37.5665, lon: 126.978 })).toEqual({ nx: 98, ny: 76 });
    expect(applyGrid({ nx: 98, ny: 76, lat: 99 })).toEqual({ nx: 98, ny: 76 });
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
