import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { romanise } from './words.ts';

describe('romanise', () => {
  test.each([
    ['서울', 'seoul'],
    ['부산', 'busan'],
    ['제주', 'jeju'],
    ['울릉도', 'ulleungdo'],
    ['광희문', 'gwanghuimun'],
  ])('writes %s as %s', (word, expected) => {
    expect(romanise(word)).toBe(expected);
  });

  test.each([
    ['종로', 'jongno', 'a nasal before r makes it n'],
    ['강릉', 'gangneung', 'a nasal before r makes it n'],
    ['백령도', 'baengnyeongdo', 'a stop before r becomes a nasal'],
    ['독립문', 'dongnimmun', 'stops before r and m become nasals'],
    ['신라', 'silla', 'n before r becomes l'],
    ['별내', 'byeollae', 'n after l becomes l'],
    ['왕십리', 'wangsimni', 'p before r becomes m'],
    ['묵호', 'mukho', 'h stays after a stop in a noun'],
    ['좋고', 'joko', 'a final h aspirates'],
    ['합덕', 'hapdeok', 'tensed sounds are not written'],
    ['울산', 'ulsan', 'l before another consonant'],
    ['읽어', 'ilgeo', 'a vowel takes over the second final'],
  ])('follows the pronunciation: %s is %s', (word, expected) => {
    expect(romanise(word)).toBe(expected);
  });

  test('leaves other letters and digits', () => {
    expect(romanise('역삼1동')).toBe('yeoksam1dong');
    expect(romanise('KTX역')).toBe('ktxyeok');
  });

  test('reads decomposed letters as composed ones', () => {
    expect(romanise('한강'.normalize('NFD'))).toBe('hangang');
  });

  test('turns any Hangul into Latin letters', () => {
    const syllable = fc
      .integer({ min: 0xac00, max: 0xd7a3 })
      .map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(syllable, { minLength: 1, maxLength: 20 }), (syllables) => {
        expect(romanise(syllables.join(''))).toMatch(/^[a-z]+$/);
      }),
    );
  });
});
