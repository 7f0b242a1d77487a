import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs, retryAfterSeconds } from './retries.ts';

const NOW = Date.parse('2026-11-28T10:00:00Z');

describe('Retry-After', () => {
  it.each<[string, number | undefined]>([
    ['0', 0],
    ['7', 7],
    [' 30 ', 30],
    ['1.5', 2],
    ['0.2', 1],
    ['12.', 12],
    ['99999999999', 86_400],
    [`${'9'.repeat(400)}`, undefined],
    ['Sat, 28 Nov 2026 10:00:30 GMT', 30],
    ['Saturday, 28-Nov-26 10:01:00 GMT', 60],
    ['Sat, 28 Nov 2026 09:00:00 GMT', 0],
    ['Fri, 28 Nov 2036 10:00:00 GMT', 86_400],
    ['', undefined],
    ['-1', undefined],
    ['1,5', undefined],
    ['2001-01-05', undefined],
    ['soon', undefined],
  ])('of %j is %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });

  it('never allows an early retry where it cannot be read', () => {
    expect(['soon', '1,5', '-1'].map((header) => retryAfterMs(header, NOW))).toEqual(
      Array(3).fill(Number.POSITIVE_INFINITY),
    );
    expect(retryAfterMs('', NOW)).toBeUndefined();
    expect(retryAfterMs('0.25', NOW)).toBe(250);
  });

  it('is never negative, and never more than a day', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (header) => {
        const seconds = retryAfterSeconds(header, NOW) ?? 0;
        expect(seconds >= 0 && seconds <= 86_400 && Number.isInteger(seconds)).toBe(true);
      }),
    );
  });
});
