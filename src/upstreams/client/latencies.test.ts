import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLatencies } from './latencies.ts';

it('Percentiles are null before the first response', () => {
  expect(createLatencies().percentileMs(0.5)).toBeNull();
});

it('Percentiles cover the last 512 responses', () => {
  const latencies = createLatencies();
  for (let i = 0; i < 100; i++) latencies.add(9999);
  for (let i = 1; i <= 512; i++) latencies.add(i);
  expect(latencies.percentileMs(0.5)).toBe(256);
  expect(latencies.percentileMs(0.99)).toBe(507);
  expect(latencies.percentileMs(1)).toBe(512);
});

it('A percentile is one of the durations, which at least the given share does not exceed', () => {
  const durations = fc.array(fc.float({ min: 0, max: 60_000, noNaN: true }), {
    minLength: 1,
    maxLength: 512,
  });
  fc.assert(
    fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
      const latencies = createLatencies();
      for (const duration of all) latencies.add(duration);
      const percentile = latencies.percentileMs(share) ?? Number.NaN;
      expect(all).toContain(percentile);
      expect(all.filter((duration) => duration <= percentile).length).toBeGreaterThanOrEqual(
        share * all.length - 1e-9,
      );
    }),
  );
});
