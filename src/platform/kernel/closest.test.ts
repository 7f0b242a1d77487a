import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closest } from './closest.ts';

const letter = fc.constantFrom(...'abc_');
const word = fc.string({ unit: letter, minLength: 6, maxLength: 60 });
/** One edit at a place: a letter more, less or another, or two neighbours swapped. */
const edit = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('add', 'drop', 'change', 'swap'),
  letter,
});

function edited(
  text: string,
  { at, kind, letter: given }: { at: number; kind: string; letter: string },
): string {
  const place = at % (text.length - 1);
  const [before, rest] = [text.slice(0, place), text.slice(place)];
  switch (kind) {
    case 'add':
      return before + given + rest;
    case 'drop':
      return before + rest.slice(1);
    case 'change':
      return before + given + rest.slice(1);
    default:
      return before + rest.slice(0, 2).split('').reverse().join('') + rest.slice(2);
  }
}

it('finds a word that one edit has changed, wherever it is', () => {
  fc.assert(
    fc.property(word, edit, (text, change) => {
      expect(closest(edited(text, change), [text])).toBe(text);
    }),
  );
});

it.each([
  ['kma_forecast', 'kma_froecats', 'kma_forecast'],
  ['kma_forecast', 'kma_weather', undefined],
  ['abcdef', 'abcxyz', undefined],
  ['abc', 'abd', 'abc'],
  ['abc', 'axd', undefined],
  ['aab', 'aba', 'aab'],
  ['abab', 'ab', undefined],
])('of %j, %j means %j', (candidate, text, meant) => {
  expect(closest(text, [candidate])).toBe(meant);
});

it('prefers the nearest', () => {
  expect(closest('weather_nov', ['weather_old', 'weather_now', 'weather_new'])).toBe('weather_now');
});
