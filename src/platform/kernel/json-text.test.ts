import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, visibleText } from '../../../test/support/arbitrary-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { decodeStart, endOfString, oneLine, quoteJson, startOfJson } from './json-text.ts';

const json = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', '\r\n'));
const written = json.map(([value, space]) => ({
  value,
  text: JSON.stringify(value, null, space),
}));
const bytesOf = (text: string): Buffer => Buffer.from(text);

describe('the start of a JSON text', () => {
  it('has the same value, on one line', () => {
    fc.assert(
      fc.property(written, ({ value, text }) => {
        const { text: shown, isWhole } = startOfJson(bytesOf(text), 1_000_000);
        expect(isWhole).toBe(true);
        expect(shown).toBe(text.includes('\n') ? JSON.stringify(value) : text);
      }),
    );
  });

  it('is cut between two characters, as late as possible', () => {
    fc.assert(
      fc.property(visibleText({ minLength: 1, maxLength: 40 }), fc.nat(200), (text, max) => {
        // The sign of a broken character.
        fc.pre(!text.includes('\uFFFD'));
        const whole = JSON.stringify([text]);
        const { text: shown, isWhole } = startOfJson(bytesOf(whole), max);
        expect(shown).not.toContain('\uFFFD');
        expect(whole.startsWith(shown)).toBe(true);
        expect(isWhole).toBe(shown === whole);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(max);
        expect(max - Buffer.byteLength(shown)).toBeLessThan(isWhole ? Infinity : 4);
      }),
    );
  });
});

describe('a JSON text as the content of a JSON string', () => {
  it('has the same value', () => {
    fc.assert(
      fc.property(written, ({ value, text }) => {
        const shown: string = JSON.parse(`"${quoteJson(bytesOf(text))}"`);
        expect(shown).toBe(text.includes('\n') ? JSON.stringify(value) : text);
      }),
    );
  });
});

describe('a JSON text on one line', () => {
  it('has the same value and no line breaks', () => {
    fc.assert(
      fc.property(written, ({ value, text }) => {
        const line = oneLine(bytesOf(text)).toString();
        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

/** The content of a JSON string, in which each character may be escaped. */
const spelled = fc
  .array(fc.tuple(anyText({ minLength: 1, maxLength: 1 }), fc.boolean()))
  .map((characters) => {
    const spellOut = (text: string) =>
      text
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');
    return characters
      .map(([text, isEscaped]) =>
        isEscaped || !text.isWellFormed() ? spellOut(text) : JSON.stringify(text).slice(1, -1),
      )
      .join('');
  });

describe('the content of a JSON string', () => {
  it('ends at its closing quote', () => {
    fc.assert(
      fc.property(spelled, fc.string(), (inner, after) => {
        const json = bytesOf(`"${inner}"${after}`);
        expect(endOfString(json, 1)).toBe(Buffer.byteLength(inner) + 1);
      }),
    );
    expect(endOfString(bytesOf('"never \\"'), 1)).toBe(-1);
  });

  it('is decoded up to the limit, and never cut within a character', () => {
    fc.assert(
      fc.property(spelled, fc.nat(60), (inner, maxBytes) => {
        const whole: string = JSON.parse(`"${inner}"`);
        const start = decodeStart(bytesOf(inner), maxBytes);
        expect(whole.startsWith(start)).toBe(true);
        if (Buffer.byteLength(inner) <= maxBytes) expect(start).toBe(whole);
        // At least `maxBytes / 6` bytes of it are decoded.
        const shown = bytesOf(whole)
          .toString('utf8', 0, Math.floor(maxBytes / 6))
          .replace(/\uFFFD+$/, '');
        expect(start.startsWith(shown)).toBe(true);
      }),
      { numRuns: MANY_RUNS },
    );
  });
});
