import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATENCY_COLUMNS } from '../platform/database/tables.ts';
import { latencyColumn, quantiles } from './latencies.ts';
import { addTally, newTally, sumOf, type Tally } from './tally.ts';

const SHARES = [0.5, 0.95, 0.99];
const durations = fc.array(fc.double({ min: 0.1, max: 77_000, noNaN: true }), { minLength: 1 });

const tallyOf = (durationsMs: readonly number[]): Tally => {
  const tally = newTally();
  for (const durationMs of durationsMs) tally[latencyColumn(durationMs)]++;
  return tally;
};

/** The duration of the call at the rank of the quantile. */
const exact = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
};

describe('latencies', () => {
  it('have quantiles within 20 % of the exact ones from 0.1 ms to 77 s, however they were added', () => {
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 8 }), (parts) => {
        const found = quantiles(sumOf(...parts.map(tallyOf)), SHARES);
        expect(found).toEqual(quantiles(tallyOf(parts.flat()), SHARES));
        for (const [index, share] of SHARES.entries()) {
          const expected = exact(parts.flat(), share);
          const error = Math.abs((found[index] ?? 0) - expected) / expected;
          expect(error).toBeLessThan(0.2);
        }
      }),
    );
  });

  it('can be subtracted again', () => {
    fc.assert(
      fc.property(durations, durations, (some, others) => {
        const sum = tallyOf([...some, ...others]);
        addTally(sum, tallyOf(others), -1);
        expect(sum).toEqual(tallyOf(some));
      }),
    );
  });

  it('use every column, the first and the last for durations beyond them', () => {
    const used = new Set<string>();
    for (let ms = 0.001; ms < 1e9; ms *= 1.01) used.add(latencyColumn(ms));
    expect([...used]).toEqual(LATENCY_COLUMNS);
    const odd = [0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(latencyColumn);
    expect(odd).toEqual(['latency_00', 'latency_00', 'latency_00', 'latency_34']);
  });

  it('have no quantiles without calls', () => {
    expect(quantiles(newTally(), SHARES)).toEqual([null, null, null]);
  });
});
