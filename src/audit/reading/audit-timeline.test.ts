import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsBetween, MAX_BUCKETS } from './audit-timeline.ts';

const HOUR_MS = 3_600_000;

describe('the buckets of a timeline', () => {
  it.each([
    [HOUR_MS, 30_000],
    [24 * HOUR_MS, 10 * 60_000],
    [30 * 24 * HOUR_MS, 6 * HOUR_MS],
  ])('are readable: %i ms in buckets of %i ms', (rangeMs, lengthMs) => {
    expect(bucketsBetween(0, rangeMs).lengthMs).toBe(lengthMs);
  });

  it('cover any time, aligned, and are at most 200', () => {
    const time = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)];
        const { startMs, lengthMs, count } = bucketsBetween(fromMs, toMs);
        expect(count).toBeLessThanOrEqual(MAX_BUCKETS);
        expect(Math.abs(startMs % lengthMs)).toBe(0);
        expect(startMs).toBeLessThanOrEqual(fromMs);
        expect(startMs + count * lengthMs).toBeGreaterThanOrEqual(toMs);
      }),
    );
  });

  it('are none for a time that ends before it begins', () => {
    expect(bucketsBetween(HOUR_MS, 0).count).toBe(0);
  });
});
