import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration } from './options.ts';

describe('a duration', () => {
  test.each([
    ['12h', 12 * 3_600_000],
    ['90d', 90 * 86_400_000],
    ['4w', 28 * 86_400_000],
    ['1y', 365 * 86_400_000],
  ])('%s is %i milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test('consists of a whole number above 0 and a unit only', () => {
    const other = fc.string().filter((text) => !/^0*[1-9]\d*[hdwy]$/.test(text));
    fc.assert(
      fc.property(
        fc.oneof(other, fc.constantFrom('0d', '1', 'd', '1.5d', '-1d', '1d ', '123456d')),
        (text) => {
          expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
        },
      ),
    );
  });
});
