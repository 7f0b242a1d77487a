import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitsPattern, mayUse } from './tool-policy.ts';

describe('tool policy', () => {
  it('lets a key without a list use everything, and one with an empty list nothing', () => {
    expect(mayUse({ allowedTools: null }, 'kma_village_forecast')).toBe(true);
    expect(mayUse({ allowedTools: [] }, 'kma_village_forecast')).toBe(false);
  });

  it.each([
    ['kma_village_forecast', true],
    ['kma_*', true],
    ['*_forecast', true],
    ['kma_*_forecast', true],
    ['*', true],
    ['**', true],
    ['kma_village_forecast*', true],
    ['kma', false],
    ['village', false],
    ['kma_*_nowcast', false],
    ['kma_village_forecast_*', false],
    ['kma_village_fore*e_forecast', false],
    ['', false],
  ])('decides for pattern %j on kma_village_forecast: %s', (pattern, expected) => {
    expect(fitsPattern(pattern, 'kma_village_forecast')).toBe(expected);
  });

  it('agrees with the same pattern written as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        const regex = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
        expect(fitsPattern(pattern, name)).toBe(regex.test(name));
      }),
    );
  });
});
