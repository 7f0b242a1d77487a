import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDuration,
  addLatencies,
  type Latencies,
  MAX_RELATIVE_ERROR,
  newLatencies,
  packLatencies,
  quantiles,
} from './latencies.ts';

const SHARES = [0.5, 0.95, 0.99];
const durations = fc.array(fc.double({ min: 0.05, max: 500_000, noNaN: true }), { minLength: 1 });

const latenciesOf = (values: readonly number[]): Latencies => {
  const latencies = newLatencies();
  for (const value of values) addDuration(latencies, value);
  return latencies;
};

const sumOf = (...parts: readonly (Latencies | Uint8Array)[]): Latencies => {
  const sum = newLatencies();
  for (const part of parts) addLatencies(sum, part);
  return sum;
};

/** The duration of the call at the rank of the quantile. */
const exact = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
};

describe('latencies', () => {
  it('have quantiles within 5 % of the exact ones, however they were merged', () => {
    expect(MAX_RELATIVE_ERROR).toBeLessThan(0.05);
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 8 }), (parts) => {
        const found = quantiles(sumOf(...parts.map(latenciesOf)), SHARES);
        const packed = parts.map((part) => packLatencies(latenciesOf(part)));
        expect(quantiles(sumOf(...packed), SHARES)).toEqual(found);
        for (const [index, share] of SHARES.entries()) {
          const expected = exact(parts.flat(), share);
          const error = Math.abs((found[index] ?? 0) - expected) / expected;
          expect(error).toBeLessThan(0.05);
        }
      }),
    );
  });

  it('can be subtracted again', () => {
    fc.assert(
      fc.property(durations, durations, (some, others) => {
        const sum = latenciesOf([...some, ...others]);
        addLatencies(sum, packLatencies(latenciesOf(others)), -1);
        expect(sum).toEqual(latenciesOf(some));
        addLatencies(sum, latenciesOf(some), -1);
        expect(sum).toEqual(newLatencies());
      }),
    );
  });

  it('stay the same packed and unpacked, whatever their counts are', () => {
    const counts = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 170 }), fc.integer({ min: 1, max: 2 ** 50 })),
    );
    fc.assert(
      fc.property(counts, (entries) => {
        const latencies = newLatencies();
        for (const [bucket, count] of entries) latencies[bucket] = count;
        expect(sumOf(packLatencies(latencies))).toEqual(latencies);
      }),
    );
  });

  it('are stored as they always were: the distance to the bucket before and the count', () => {
    const latencies = latenciesOf([0.01, 2, 2, 2, 600_000]);
    latencies[39] = 300;
    expect([...packLatencies(latencies)]).toEqual([0, 1, 39, 128 + 44, 2, 128 + 3, 1, 1]);
  });

  it('use at most 171 buckets, and two bytes for each of them', () => {
    const latencies = newLatencies();
    for (let ms = 0.001; ms < 1e9; ms *= 1.01) addDuration(latencies, ms);
    for (const odd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) addDuration(latencies, odd);
    expect(latencies).toHaveLength(171);
    expect(latencies.every((count) => count > 0)).toBe(true);
    expect(packLatencies(latenciesOf([1, 2, 4, 4])).length).toBe(6);
  });

  it('have no quantiles without calls', () => {
    expect(quantiles(newLatencies(), SHARES)).toEqual([null, null, null]);
  });
});
