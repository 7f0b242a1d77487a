import { expect, test } from 'vitest';
import { joinTools, splitTools } from './tool-patterns.ts';

const TOOLS = [
  { name: 'sky_now', category: 'weather', source: 'preset', pattern: 'sky_now' },
  { name: 'get_pet', category: 'pets', source: 'registered', pattern: '@own.pets.get_pet' },
] as const;

test('tells categories, picked tools and patterns apart, and joins them again', () => {
  const list = ['category:weather', 'kma_*', 'gone_tool', 'sky_now', '@own.pets.get_pet'];
  const chosen = splitTools(list, [...TOOLS]);
  expect(chosen).toEqual({
    categories: ['category:weather'],
    patterns: ['kma_*', 'gone_tool'],
    picks: ['sky_now', '@own.pets.get_pet'],
  });
  expect(joinTools(chosen)).toEqual(list);
});
