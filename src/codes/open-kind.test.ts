import { describe, expect, test } from 'vitest';
import { distanceKm, findRows, type OpenKind } from './open-kind.ts';

const SEOUL = { lat: 37.5665, lon: 126.978 };
const BUSAN = { lat: 35.1796, lon: 129.0756 };

describe('the distance of two points', () => {
  test('is the length of the great circle', () => {
    expect(distanceKm(SEOUL, BUSAN)).toBeCloseTo(325, 0);
    expect(distanceKm({ lat: 0, lon: 0 }, { lat: 0, lon: 180 })).toBeCloseTo(20_015, 0);
    expect(distanceKm({ lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 })).toBeCloseTo(111.2, 1);
    expect(distanceKm(SEOUL, SEOUL)).toBe(0);
  });
});

describe('the rows near a point', () => {
  test('start with the nearest, and keep the order of the table where distances are equal', () => {
    const kind: Pick<OpenKind, 'definition' | 'positions' | 'has'> = {
      definition: {} as OpenKind['definition'],
      positions: () => [
        [3, BUSAN.lat, BUSAN.lon],
        [7, SEOUL.lat, SEOUL.lon],
        [8, BUSAN.lat, BUSAN.lon],
      ],
      has: () => true,
    };
    const rows = findRows(kind as OpenKind, { near: SEOUL });
    expect(rows.map(({ row }) => row)).toEqual([7, 3, 8]);
  });
});
