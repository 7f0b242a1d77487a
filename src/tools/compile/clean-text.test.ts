import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/support/arbitrary-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { cleanLine, cleanText } from './clean-text.ts';

const UNWANTED =
  /[^\P{Cc}\t\n]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|[\ufff9-\ufffb\u2028\u2029]|<!--/u;

/** Texts of the pieces from which hidden text is built. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['<!--', '-->', '<!-', '-', '<', '\x1b', '\x1b[31m', '\x1b]8;;', '\x07', '\x9b2J', '\\'],
        ...['\u200b', '\u202e', '\u2066', '\u{e0041}', '\ufe0f', '\r\n', '\u2028', '\0', '\ud800'],
        ...['hello', ' ', '\n', '날씨', '🌦️'],
      ),
      anyText({ maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('a cleaned text', () => {
  it.each([
    ['control characters', 'a\0b\x08c\x7fd\x85e', 'abcde'],
    ['zero-width characters', 'pay\u200bpal\ufeff', 'paypal'],
    ['bidirectional characters', 'abc\u202edcba\u202c \u2066x\u2069', 'abcdcba x'],
    ['tag characters', `Get it.\u{e0049}\u{e0067}\u{e006e}`, 'Get it.'],
    ['HTML comments', 'Before<!-- do evil -->after', 'Beforeafter'],
    ['comments without an end', 'Before<!-- do evil', 'Before'],
    ['comments put together by others', 'a<!-<!-- x -->- evil -->b', 'ab'],
    ['comments hidden by zero-width characters', 'a<!\u200b-- evil -->b', 'ab'],
    ['colours', '\x1b[1;31mred\x1b[0m \x9b32mgreen', 'red green'],
    ['links of terminals', '\x1b]8;;https://evil.example\x07text\x1b]8;;\x1b\\', 'text'],
  ])('has no %s', (_, text, cleaned) => {
    expect(cleanText(text, 100)).toBe(cleaned);
  });

  it('keeps lines, tabs, letters of any script and emoji', () => {
    const text = 'Wetter\tin Zürich\n날씨 예보, العربية, ไทย 🌦 `a < b`';
    expect(cleanText(text, 100)).toBe(text);
    expect(cleanText('one\r\ntwo\u2028three', 100)).toBe('one\ntwo\nthree');
    expect(cleanLine(' one\r\n\ttwo ', 100)).toBe('one two');
  });

  it('is cut after a whole word, and never within a character', () => {
    expect(cleanText('a few words more', 12)).toBe('a few words…');
    expect(cleanText('x'.repeat(20), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(cleanText('😀'.repeat(20), 10)).toBe(`${'😀'.repeat(4)}…`);
  });

  it('has nothing hidden, whatever it is made of', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 10, max: 300 }), (text, maxLength) => {
        const cleaned = cleanText(text, maxLength);
        expect(cleaned).not.toMatch(UNWANTED);
        expect(cleaned.length).toBeLessThanOrEqual(maxLength);
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleanText(cleaned, maxLength)).toBe(cleaned);
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('costs time in proportion to its length', () => {
    const started = performance.now();
    for (const part of ['<!--', '<!-<!---->-', '\x1b]', '\x1b[', '\x1b[;', '<', ' ', '\u200b']) {
      cleanText(part.repeat(200_000), 200_000);
    }
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
