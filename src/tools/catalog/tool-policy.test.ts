import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitsPattern, mayUse } from './tool-policy.ts';

describe('tool policy', () => {
  it('lets a key without a list use everything, and one with an empty list nothing', () => {
    expect(
      mayUse({ allowedTools: null }, { name: 'kma_village_forecast', category: 'weather' }),
    ).toBe(true);
    expect(
      mayUse({ allowedTools: [] }, { name: 'kma_village_forecast', category: 'weather' }),
    ).toBe(false);
  });

  it('lets a client narrow what its key allows, and never widen it', () => {
    const tool = { name: 'kma_village_forecast', category: 'weather' };
    const asks = (category: string | null, tools: string[] | null, allowedTools = ['kma_*']) =>
      mayUse({ allowedTools, narrowing: { category, tools } }, tool);
    expect(asks('weather', null)).toBe(true);
    expect(asks('economy', null)).toBe(false);
    expect(asks(null, ['*_forecast'])).toBe(true);
    expect(asks('weather', ['tour_*'])).toBe(false);
    expect(asks(null, [])).toBe(false);
    expect(asks('weather', ['*'], ['tour_*'])).toBe(false);
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
