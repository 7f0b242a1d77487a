import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addLatencies,
  addToBucket,
  bucketOf,
  LAST_BUCKET,
  type Latencies,
  MAX_RELATIVE_ERROR,
  quantiles,
} from './latencies.ts';
import { addPacked, packLatencies, unpackLatencies } from './pack-latencies.ts';

const SHARES = [0.5, 0.95, 0.99];
const durations = fc.array(fc.double({ min: 0.05, max: 500_000, noNaN: true }), { minLength: 1 });

const latenciesOf = (values: readonly number[]): Latencies => {
  const latencies: Latencies = new Map();
  for (const value of values) addToBucket(latencies, bucketOf(value), 1);
  return latencies;
};

const countsOf = (...parts: readonly Latencies[]): Float64Array => {
  const counts = new Float64Array(LAST_BUCKET + 1);
  for (const part of parts) addPacked(counts, packLatencies(part), 1);
  return counts;
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
        const merged: Latencies = new Map();
        for (const part of parts) {
          addLatencies(merged, unpackLatencies(packLatencies(latenciesOf(part))));
        }
        const found = quantiles(countsOf(merged), SHARES);
        expect(quantiles(countsOf(...parts.map(latenciesOf)), SHARES)).toEqual(found);
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
        const counts = countsOf(latenciesOf([...some, ...others]));
        addPacked(counts, packLatencies(latenciesOf(others)), -1);
        expect(counts).toEqual(countsOf(latenciesOf(some)));
      }),
    );
  });

  it('stay the same packed and unpacked, whatever their counts are', () => {
    const counts = fc.array(
      fc.tuple(fc.integer({ min: 0, max: LAST_BUCKET }), fc.integer({ min: 1, max: 2 ** 50 })),
    );
    fc.assert(
      fc.property(counts, (entries) => {
        const latencies: Latencies = new Map(entries);
        expect(unpackLatencies(packLatencies(latencies))).toEqual(
          new Map([...latencies].sort(([a], [b]) => a - b)),
        );
      }),
    );
  });

  it('use at most 171 buckets, and two bytes for each of them', () => {
    const latencies: Latencies = new Map();
    for (let ms = 0.001; ms < 1e9; ms *= 1.01) addToBucket(latencies, bucketOf(ms), 1);
    for (const odd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      addToBucket(latencies, bucketOf(odd), 1);
    }
    expect(latencies.size).toBe(LAST_BUCKET + 1);
    expect(packLatencies(latenciesOf([1, 2, 4, 4])).length).toBe(6);
  });

  it('have no quantiles without calls', () => {
    expect(quantiles(countsOf(), SHARES)).toEqual([null, null, null]);
  });
});
