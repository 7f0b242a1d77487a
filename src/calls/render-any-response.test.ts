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

/** The result as a client reads it (it must be JSON), and the texts of its content. */
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
/** Characters that need an escape, characters of several bytes, and plain ones. */
const words = fc.string({
  unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\u0001', 'é', '한', '😀'),
  maxLength: 120,
});
const isText = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && Object.keys(data)[0] === 'text';
const data = fc
  .oneof(fc.jsonValue(), words, fc.dictionary(words, fc.oneof(words, fc.double())))
  // JSON does not preserve -0.
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .filter((value) => !isText(value));

describe('the result of any response', () => {
  it('contains the complete data, and as much of its text as fits', () => {
    fc.assert(
      fc.property(data, maxBytes, fc.boolean(), (value, limit, isError) => {
        const whole = JSON.stringify(value);
        const { result, shownText, note } = render(outcome(value, isError), limit);
        expect(result.data).toEqual(value);
        expect(whole.startsWith(shownText)).toBe(true);
        expect(Buffer.byteLength(shownText)).toBeLessThanOrEqual(limit);
        if (Buffer.byteLength(whole) <= limit) expect(shownText).toBe(whole);
        expect(note !== undefined).toBe(shownText !== whole);
        // The cut is between two characters; the longest one here has four bytes.
        if (note) expect(Buffer.byteLength(shownText)).toBeGreaterThan(limit - 4);
      }),
    );
  });

  it('has structured content for a success and an error mark for a failure', () => {
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

  it('shows plain text unquoted, and as much of it as fits', () => {
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

  it('escapes the names of the tool and the server, and the URL', () => {
    const { result, headline } = render(outcome({}, false, 'a"b'), 100);
    expect(headline).toBe('a"b: a response from Sky "1" at sky.example, fetched now.');
    expect(result).toMatchObject({
      tool: 'a"b',
      upstream: { url: 'https://sky.example/?q="' },
      _meta: { 'toolgateway/upstream': { url: 'https://sky.example/?q="' } },
    });
  });
});
