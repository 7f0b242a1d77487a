import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../platform/kernel/in-slices.ts';
import { createVocabulary, matchWords, QUALITY } from './vocabulary.ts';

/** How well a typed word matches a vocabulary of one word. */
const qualityOf = (typed: string, word: string) =>
  matchWords(atOnce(createVocabulary([word])), typed)[0];

describe('a typed word', () => {
  test.each([
    ['busan', 'busan', QUALITY.exact, 'the same word'],
    ['강'.normalize('NFD'), '강', QUALITY.exact, 'the same word, decomposed'],
    ['ulleungdo', '울릉도', QUALITY.exact, 'romanised'],
    ['강남', '강남구', QUALITY.withoutSuffix, 'without its suffix'],
    ['제주시', '제주', QUALITY.withSuffix, 'with a suffix'],
    ['강남시', '강남구', QUALITY.otherSuffix, 'with another suffix'],
    ['해운', '해운대', 69, 'a beginning'],
    ['해우', '해운대', 0, 'a beginning that ends within a syllable'],
    ['운대구', '해운대구', QUALITY.contained, 'a part'],
    ['pusan', 'busan', QUALITY.confused, 'letters that are often confused'],
    ['gyongju', 'gyeongju', QUALITY.confused, 'an e left out'],
    ['해운데', '해운대', QUALITY.confused, 'vowels that are often confused'],
    ['해운데구', '해운대구', QUALITY.confused, 'the same, with its suffix'],
    ['busann', 'busan', QUALITY.oneEdit, 'a letter too many'],
    ['busn', 'busan', QUALITY.oneEdit, 'a letter too few'],
    ['buasn', 'busan', QUALITY.oneEdit, 'neighbours swapped'],
    ['pusam', 'busan', 0, 'an edit and a confused letter in a short word'],
    ['서울', '서욹', QUALITY.oneEdit, 'one final consonant'],
    ['gangneumm', 'gangneung', QUALITY.twoEdits, 'two edits in a long word'],
    ['kankneumm', 'gangneung', 0, 'three edits'],
    ['gu', 'gi', 0, 'an edit in a short word'],
    ['東', '西', 0, 'another word'],
  ])('%s matches %s with quality %i: %s', (typed, word, expected) => {
    expect(qualityOf(typed, word)).toBe(expected);
  });

  test('has no typos if a word of the table is certain', () => {
    expect([
      ...matchWords(atOnce(createVocabulary(['busan', 'pusan', 'busans'])), 'busan'),
    ]).toEqual([100, 0, 96]);
  });

  test('is found, whatever letter too many it has', () => {
    const word = fc.string({
      unit: fc.constantFrom(...'abeglr가나대데한'),
      minLength: 4,
      maxLength: 12,
    });
    fc.assert(
      fc.property(word, fc.nat(12), (text, at) => {
        const typed = `${text.slice(0, at)}x${text.slice(at)}`;
        expect(qualityOf(text, text)).toBe(QUALITY.exact);
        expect(qualityOf(typed, text)).toBeGreaterThanOrEqual(QUALITY.oneEdit);
      }),
    );
  });
});
