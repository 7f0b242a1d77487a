import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern, mayUse } from './tool-policy.ts';

describe('the tool policy', () => {
  const tool = {
    id: 'weather.kma.kma_village_forecast',
    name: 'kma_village_forecast',
    category: 'weather',
  };

  it('allows every tool without a list, and none with an empty list', () => {
    expect(mayUse({ allowedTools: null }, tool)).toBe(true);
    expect(mayUse({ allowedTools: [] }, tool)).toBe(false);
  });

  it('lets a client narrow the tools of its key but never widen them', () => {
    const allows = (category: string | null, tools: string[] | null, allowedTools = ['kma_*']) =>
      mayUse({ allowedTools, narrowing: { category, tools } }, tool);
    expect(allows('weather', null)).toBe(true);
    expect(allows('economy', null)).toBe(false);
    expect(allows(null, ['*_forecast'])).toBe(true);
    expect(allows('weather', ['tour_*'])).toBe(false);
    expect(allows(null, [])).toBe(false);
    expect(allows('weather', ['*'], ['tour_*'])).toBe(false);
  });

  const preset = { id: 'economy.bank.bank_rates', name: 'bank_rates', category: 'economy' };
  const own = { ...preset, id: '@acme.bank.bank_rates' };

  it.each([
    ['bank_rates', ['preset', 'own']],
    ['bank_*', ['preset']],
    ['*', ['preset']],
    ['bank_rates*', ['preset']],
    ['economy.bank.*', ['preset']],
    ['*.bank_rates', ['preset']],
    ['*.*', ['preset']],
    ['economy.bank.bank_rates', ['preset']],
    ['economy*', []],
    ['@*', ['own']],
    ['@acme.*', ['own']],
    ['@acme*', ['own']],
    ['@*.bank.bank_rates', ['own']],
    ['@acme.bank.bank_rates', ['own']],
    ['@acme-two.bank.bank_rates', []],
    ['@', []],
    ['@acme', []],
    ['bank_rates@', []],
    ['category:economy', ['preset']],
    ['category:econ*', []],
    ['category:', []],
    ['@category:economy', []],
  ])('lets %j select of presets and own tools: %j', (pattern, expected) => {
    const user = { allowedTools: [pattern] };
    const narrowed = { allowedTools: null, narrowing: { category: null, tools: [pattern] } };
    for (const each of [user, narrowed]) {
      const selected = Object.entries({ preset, own }).filter(([, one]) => mayUse(each, one));
      expect(selected.map(([name]) => name)).toEqual(expected);
    }
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
    expect(matchesPattern(pattern, 'kma_village_forecast')).toBe(expected);
  });

  it('agrees with the same pattern as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        const regex = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
        expect(matchesPattern(pattern, name)).toBe(regex.test(name));
      }),
    );
  });
});
