import { describe, expect, test } from 'vitest';
import { distanceKm, nearestRows } from './nearest.ts';

const SEOUL = { lat: 37.5665, lon: 126.978 };
const BUSAN = { lat: 35.1796, lon: 129.0756 };

describe('distanceKm', () => {
  test('is the length of the great circle', () => {
    expect(distanceKm(SEOUL, BUSAN)).toBeCloseTo(325, 0);
    expect(distanceKm({ lat: 0, lon: 0 }, { lat: 0, lon: 180 })).toBeCloseTo(20_015, 0);
    expect(distanceKm({ lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 })).toBeCloseTo(111.2, 1);
    expect(distanceKm(SEOUL, SEOUL)).toBe(0);
  });
});

describe('nearestRows', () => {
  test('puts the nearest row first, and equally near ones in the order of the table', () => {
    const positions = {
      rows: Uint16Array.of(3, 7, 8),
      degrees: Float64Array.of(35.1796, 129.0756, 37.5665, 126.978, 35.1796, 129.0756),
    };
    expect(nearestRows(positions, SEOUL).map(({ row }) => row)).toEqual([7, 3, 8]);
  });
});
