import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, oneLine, quoteJson } from './json-text.ts';

const json = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', '\r\n'));
const written = json.map(([value, space]) => ({
  value,
  text: JSON.stringify(value, null, space),
}));
const bytesOf = (text: string): Buffer => Buffer.from(text);

describe('a JSON text as a JSON string', () => {
  it('has the same value, on one line', () => {
    fc.assert(
      fc.property(written, ({ value, text }) => {
        const { literal, isWhole } = quoteJson(bytesOf(text), 1_000_000);
        const shown: string = JSON.parse(literal.toString());
        expect(isWhole).toBe(true);
        expect(shown).toBe(text.includes('\n') ? JSON.stringify(value) : text);
      }),
    );
  });

  it('is cut between two characters, as long as it may be', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
        fc.nat(200),
        (text, max) => {
          const whole = JSON.stringify([text]);
          const { literal, isWhole } = quoteJson(bytesOf(whole), max);
          const shown: string = JSON.parse(literal.toString());
          expect(shown).not.toContain('\uFFFD');
          expect(whole.startsWith(shown)).toBe(true);
          expect(isWhole).toBe(shown === whole);
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(max);
          expect(max - Buffer.byteLength(shown)).toBeLessThan(isWhole ? Infinity : 4);
        },
      ),
    );
  });
});

describe('a JSON text on one line', () => {
  it('means the same and has no line breaks', () => {
    fc.assert(
      fc.property(written, ({ value, text }) => {
        const line = oneLine(bytesOf(text)).toString();
        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a text', () => {
  it.each([
    ['서울', 6, '서울'],
    ['서울', 5, '서'],
    ['서울', 3, '서'],
    ['서울', 2, ''],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
  ])('%j in %i bytes is %j', (text, max, expected) => {
    expect(cutText(text, max)).toBe(expected);
  });
});
