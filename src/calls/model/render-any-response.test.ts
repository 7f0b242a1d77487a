import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeOutcome } from '../../../test/support/call-outcome.ts';
import type { CallOutcome } from '../tool-call.ts';
import { type ResultStyle, renderOutcome } from './render-result.ts';
import { STRUCTURED_SCHEMA } from './structured.ts';

const outcome = (data: unknown, isError: boolean, tool = 'sky_now'): CallOutcome =>
  makeOutcome({
    tool,
    server: 'Sky "1"',
    url: 'https://sky.example/?q="',
    status: isError ? 404 : 200,
    json: Buffer.from(JSON.stringify(data)),
    isError,
  });

/** The result as a client reads it (it must be JSON), and the parts of its text. */
function render(shown: CallOutcome, maxCharacters: number, style: ResultStyle = 'full') {
  const { members, meta } = renderOutcome(shown, { style, maxCharacters });
  const text = Buffer.concat(members.map((piece) => Buffer.from(piece))).toString();
  const result = JSON.parse(`{${text},"_meta":{${meta}}}`);
  const whole: string = result.content[0].text;
  const end = whole.indexOf('\n\n');
  const [head, body] = end < 0 ? [whole, ''] : [whole.slice(0, end), whole.slice(end + 2, -1)];
  return { result, whole, head, body, note: head.includes('\nNote: Only the first') };
}

const maxCharacters = fc.integer({ min: 200, max: 400 });
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
      fc.property(data, maxCharacters, fc.boolean(), (value, limit, isError) => {
        const json = JSON.stringify(value);
        const { result, whole, body, note } = render(outcome(value, isError), limit);
        expect(result.data).toEqual(value);
        expect(json.startsWith(body)).toBe(true);
        expect(body.isWellFormed()).toBe(true);
        expect(whole.endsWith('\n')).toBe(true);
        expect(note).toBe(body !== json);
        if (!note && body) expect(whole.length).toBeLessThanOrEqual(limit + 1);
        expect(result.isError).toBe(isError ? true : undefined);
        expect(result).not.toHaveProperty('structuredContent');
      }),
    );
  });

  it('has structured content that fits its schema, where it was asked for', () => {
    const validate = new Ajv2020({ strictTypes: false }).compile(STRUCTURED_SCHEMA);
    fc.assert(
      fc.property(data, maxCharacters, fc.boolean(), (value, limit, isError) => {
        const { result } = render(outcome(value, isError), limit, 'structured');
        expect(validate(result.structuredContent), JSON.stringify(validate.errors)).toBe(true);
        expect(result).not.toHaveProperty('data');
      }),
    );
  });

  it('shows plain text unquoted, and as much of it as fits', () => {
    fc.assert(
      fc.property(words, maxCharacters, (text, limit) => {
        const { result, body, note } = render(outcome({ text }, false), limit);
        expect(result).toMatchObject({ data: { text } });
        expect(text.startsWith(body)).toBe(true);
        expect(note).toBe(body !== text);
      }),
    );
  });

  it('escapes the names of the tool and the server, and the URL', () => {
    const { result, head } = render(outcome({}, false, 'a"b'), 500);
    expect(head).toBe('a"b: a response. Source: Sky "1". Fetched now.');
    expect(result).toMatchObject({
      tool: 'a"b',
      upstream: { url: 'https://sky.example/?q="' },
      _meta: { 'toolgateway/upstream': { url: 'https://sky.example/?q="' } },
    });
  });
});
