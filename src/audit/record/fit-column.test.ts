import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLUMN_CAPS, CUT_MARK, cutText, fitArguments, fitText } from './fit-column.ts';

/** Any UTF-16, including NUL and lone surrogates. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xd83d, 0xde00, 0x41)), { maxLength: 400 })
  .map((units) => String.fromCharCode(...units));

describe('a text column', () => {
  it('leaves an ordinary text unchanged', () => {
    expect(fitText('서울 😀', COLUMN_CAPS.client_name)).toBe('서울 😀');
    expect(fitText(null, COLUMN_CAPS.client_name)).toBeNull();
    const longest = 'x'.repeat(COLUMN_CAPS.client_ip);
    expect(fitText(longest, COLUMN_CAPS.client_ip)).toBe(longest);
  });

  it('stays within its cap and contains no NUL, whatever the text is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const fitted = fitText(text, COLUMN_CAPS.client_ip);
        expect(fitted.length).toBeLessThanOrEqual(COLUMN_CAPS.client_ip);
        expect(fitted).not.toContain('\0');
        expect(fitted.endsWith(CUT_MARK) || text.length <= COLUMN_CAPS.client_ip).toBe(true);
      }),
    );
  });

  it('is never cut within a character', () => {
    for (const length of [10, 11]) {
      const cut = cutText('😀'.repeat(20), length);
      expect(cut).toMatch(/^(?:😀)+…\[cut\]$/u);
      expect(cut.length).toBeLessThanOrEqual(length);
    }
  });
});

describe('arguments', () => {
  it('are stored as their JSON if it fits', () => {
    expect(fitArguments({ q: 'x', n: [1, null] })).toBe('{"q":"x","n":[1,null]}');
  });

  it('report that they were truncated and how large they were, and show what fits', () => {
    const args = {
      id: 7,
      text: '가'.repeat(5000),
      list: Array.from({ length: 340_000 }, () => ''),
      _truncated: 'sent by the caller',
      last: { a: 1 },
    };
    const text = fitArguments(args);
    expect(text.length).toBeLessThanOrEqual(COLUMN_CAPS.arguments);
    expect(JSON.parse(text)).toEqual({
      _truncated: true,
      _bytes: Buffer.byteLength(JSON.stringify(args)),
      id: 7,
      text: cutText(args.text, 1024),
      list: cutText(JSON.stringify(args.list), 1024),
      last: { a: 1 },
    });
  });

  it('are a JSON object within the cap, whatever they are', () => {
    const wide = fc.dictionary(anyText, fc.oneof(fc.jsonValue(), anyText, fc.array(anyText)), {
      minKeys: 20,
      size: '+1',
    });
    fc.assert(
      fc.property(wide, (args) => {
        const text = fitArguments(args);
        expect(text.length).toBeLessThanOrEqual(COLUMN_CAPS.arguments);
        expect(JSON.parse(text)).toBeTypeOf('object');
      }),
    );
  });
});
