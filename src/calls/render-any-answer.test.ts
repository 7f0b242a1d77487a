import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeOutcome } from '../../test/support/call-outcome.ts';
import { renderOutcome } from './render-result.ts';
import type { CallOutcome } from './tool-call.ts';

const outcome = (data: unknown, isError: boolean, tool = 'sky_now'): CallOutcome =>
  makeOutcome({
    tool,
    server: 'Sky "1"',
    url: 'https://sky.example/?q="',
    status: isError ? 404 : 200,
    json: Buffer.from(JSON.stringify(data)),
    isError,
  });

/** The result as a client reads it, which must be JSON, and the texts of its content. */
function render(shown: CallOutcome, maxBytes: number) {
  const { members, meta } = renderOutcome(shown, maxBytes);
  const text = Buffer.concat(members.map((piece) => Buffer.from(piece))).toString();
  const result = JSON.parse(`{${text},"_meta":{${meta}}}`);
  const [headline, shownText, note]: string[] = result.content.map(
    (block: { text: string }) => block.text,
  );
  return { result, headline, shownText: shownText ?? '', note };
}

const maxBytes = fc.integer({ min: 16, max: 200 });
/** What needs an escape, what takes several bytes, and what takes neither. */
const words = fc.string({
  unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\u0001', 'é', '한', '😀'),
  maxLength: 120,
});
const isText = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && Object.keys(data)[0] === 'text';
const data = fc
  .oneof(fc.jsonValue(), words, fc.dictionary(words, fc.oneof(words, fc.double())))
  // -0 is no JSON.
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .filter((value) => !isText(value));

describe('the result of any answer', () => {
  it('has the data whole, and as much of their text as fits', () => {
    fc.assert(
      fc.property(data, maxBytes, fc.boolean(), (value, limit, isError) => {
        const whole = JSON.stringify(value);
        const { result, shownText, note } = render(outcome(value, isError), limit);
        expect(result.data).toEqual(value);
        expect(whole.startsWith(shownText)).toBe(true);
        expect(Buffer.byteLength(shownText)).toBeLessThanOrEqual(limit);
        if (Buffer.byteLength(whole) <= limit) expect(shownText).toBe(whole);
        expect(note !== undefined).toBe(shownText !== whole);
        // Cut between two characters, of which the longest here has four bytes.
        if (note) expect(Buffer.byteLength(shownText)).toBeGreaterThan(limit - 4);
      }),
    );
  });

  it('is structured where it is good, and marked where it is not', () => {
    fc.assert(
      fc.property(data, fc.boolean(), (value, isError) => {
        const { result } = render(outcome(value, isError), 100);
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        const structured = isObject ? value : { result: value };
        expect(result.structuredContent).toEqual(isError ? undefined : structured);
        expect(result.isError).toBe(isError ? true : undefined);
      }),
    );
  });

  it('shows a text as itself, and as much of it as fits', () => {
    fc.assert(
      fc.property(words, maxBytes, (text, limit) => {
        const { result, shownText, note } = render(outcome({ text }, false), limit);
        expect(result).toMatchObject({ data: { text }, structuredContent: { text } });
        expect(text.startsWith(shownText)).toBe(true);
        expect(Buffer.byteLength(shownText)).toBeLessThanOrEqual(limit);
        if (Buffer.byteLength(text) <= limit) expect(shownText).toBe(text);
        expect(note !== undefined).toBe(shownText !== text);
      }),
    );
  });

  it('names the tool and the address, whatever they are written with', () => {
    const { result, headline } = render(outcome({}, false, 'a"b'), 100);
    expect(headline).toBe('a"b: an answer from Sky "1" at sky.example, fetched now.');
    expect(result).toMatchObject({
      tool: 'a"b',
      upstream: { url: 'https://sky.example/?q="' },
      _meta: { 'toolgateway/upstream': { url: 'https://sky.example/?q="' } },
    });
  });
});
