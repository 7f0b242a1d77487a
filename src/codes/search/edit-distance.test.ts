import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editCost } from './edit-distance.ts';
import { encodeWord } from './encode-word.ts';
import { letterSet } from './letter-costs.ts';

const ANY = 200;

function cost(one: string, other: string, allowed = ANY): number {
  const bytes = encodeWord(other);
  return editCost(encodeWord(one), { bytes, start: 0, length: bytes.length }, allowed);
}

describe('editCost', () => {
  test.each([
    ['busan', 'busan', 0, 'the same word'],
    ['busann', 'busan', 2, 'a letter too many'],
    ['buasn', 'busan', 2, 'neighbours swapped'],
    ['pusan', 'busan', 1, 'letters that are often confused'],
    ['gyongju', 'gyeongju', 1, 'an e left out'],
    ['해운데', '해운대', 1, 'vowels that are often confused'],
    ['서울', '서욹', 2, 'one final consonant'],
    ['', '가', 4, 'all letters missing'],
  ])('of %s for %s is %i halves: %s', (one, other, expected) => {
    expect(cost(one, other)).toBe(expected);
  });

  test('stops when a word is too far away', () => {
    expect(cost('seoul', 'gangneung', 2)).toBeGreaterThan(2);
  });

  const word = fc.string({ unit: fc.constantFrom(...'abeglr가나대데한'), maxLength: 12 });

  test('is symmetric, and zero for a word and itself', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(cost(one, other)).toBe(cost(other, one));
        expect(cost(one, one)).toBe(0);
      }),
    );
  });

  test('is at least a whole edit for each letter by which the sets of letters differ', () => {
    const count = (bits: number) => bits.toString(2).replaceAll('0', '').length;
    fc.assert(
      fc.property(word, word, (one, other) => {
        const [set, otherSet] = [letterSet(encodeWord(one)), letterSet(encodeWord(other))];
        expect(cost(one, other)).toBeGreaterThanOrEqual(2 * count((set & ~otherSet) >>> 0));
      }),
    );
  });
});

describe('encodeWord', () => {
  test('gives one byte for each letter of Hangul, and the same for composed and decomposed text', () => {
    expect(encodeWord('강')).toHaveLength(3);
    expect(encodeWord('강'.normalize('NFD'))).toEqual(encodeWord('강'));
  });

  test('leaves out other letters, and truncates a long word', () => {
    expect(encodeWord('東京é')).toEqual(encodeWord('e'));
    expect(encodeWord('a'.repeat(100))).toHaveLength(64);
  });
});
