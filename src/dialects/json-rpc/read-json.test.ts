import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import type { GatewayError } from '../../platform/kernel/error.ts';
import { readJson } from './read-json.ts';

const read = (text: string): unknown => readJson(Buffer.from(text));

/** The error code for a body; undefined if it is accepted. */
function refusalOf(body: Buffer | string): string | undefined {
  try {
    readJson(Buffer.from(body));
    return undefined;
  } catch (error) {
    return (error as GatewayError).code;
  }
}

describe('parsing a JSON body', () => {
  it('preserves any value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('accepts the same texts as JSON.parse', () => {
    const piece = fc.constantFrom(
      ...'{}[]:,"\\ 10.e+-',
      'true',
      'null',
      '"a"',
      '\\u00',
      'NaN',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const refusal = refusalOf(text);
        // A duplicate member is valid JSON, but refused.
        if (isJson) expect([undefined, 'invalid_request']).toContain(refusal);
        else expect(refusal).toBe('unreadable_request');
      }),
      { numRuns: MANY_RUNS },
    );
  });

  describe('numbers', () => {
    const digits = (length: number) =>
      fc
        .stringMatching(new RegExp(`^[0-9]{1,${length}}$`))
        .map((text) => text.replace(/^0+(?=.)/, ''));

    it('preserves every integer, whatever its length', () => {
      fc.assert(
        fc.property(digits(40), fc.boolean(), (integer, isNegative) => {
          const text = `[${isNegative ? '-' : ''}${integer}]`;
          expect(JSON.stringify(read(text))).toBe(text === '[-0]' ? '[0]' : text);
        }),
      );
    });

    it('preserves fractions and exponents to the precision of a double, but never rounds to zero or infinity', () => {
      const exponent = fc.integer({ min: -500, max: 500 });
      fc.assert(
        fc.property(digits(5), digits(30), exponent, (whole, fraction, e) => {
          const text = `[${whole}.${fraction}e${e}]`;
          const [written] = JSON.parse(JSON.stringify(read(text))) as number[];
          expect(written).toBe(Number(`${whole}.${fraction}e${e}`));
          const isExact = JSON.stringify(read(text)) === text;
          const isZero = !/[1-9]/.test(whole + fraction);
          if (!isExact) expect(written !== 0 || isZero).toBe(true);
        }),
      );
    });

    it.each([
      ['9007199254740991', false],
      ['9007199254740992', true],
      ['-9007199254740993', true],
      ['9007199254740993.0', true],
      ['18446744073709551615', true],
      ['1e400', true],
      ['-1E400', true],
      ['1e-400', true],
      ['0e-400', false],
      ['1e300', false],
      ['1E5', false],
      ['-0', false],
      ['37.566535000000002', false],
      ['37.566535000000002001', true],
      [`0.${'3'.repeat(1000)}`, true],
      ['9'.repeat(1000), true],
    ])('detects whether a double changes %s', (text, isChanged) => {
      const [value] = read(`[${text}]`) as unknown[];
      expect(JSON.isRawJSON(value)).toBe(isChanged);
      if (isChanged) expect(JSON.stringify(value)).toBe(text);
    });

    it('does not change digits in strings', () => {
      const text = '{"a":"9007199254740993","b":"1e400"}';
      expect(read(text)).toEqual({ a: '9007199254740993', b: '1e400' });
    });

    it('refuses numbers in a large body that a double would change', () => {
      const body = `["${'x'.repeat(70_000)}",1e400]`;
      expect(refusalOf(body)).toBe('invalid_request');
      expect(refusalOf(body.replace('1e400', '1e40'))).toBeUndefined();
    });
  });

  it.each([
    ['a byte that never occurs in UTF-8', [0x22, 0xff, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['half of a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a truncated character', [0x22, 0xe2, 0x82, 0x22]],
  ])('refuses %s', (_title, bytes) => {
    expect(refusalOf(Buffer.from(bytes))).toBe('unreadable_request');
  });

  it('preserves half a surrogate pair that is written as an escape', () => {
    expect(JSON.stringify(read('["\\ud800"]'))).toBe('["\\ud800"]');
  });

  it('accepts at most 20,000 values', () => {
    const list = (length: number) => `[${'1,'.repeat(length - 1)}1]`;
    expect(refusalOf(list(20_000))).toBeUndefined();
    expect(refusalOf(list(20_001))).toBe('invalid_request');
    expect(refusalOf(`[${'{},'.repeat(10_000)}1]`)).toBe('invalid_request');
  });

  it('accepts at most 64 levels, even in invalid JSON', () => {
    expect(refusalOf('['.repeat(64) + ']'.repeat(64))).toBeUndefined();
    expect(refusalOf('['.repeat(65) + ']'.repeat(65))).toBe('invalid_request');
    expect(refusalOf('['.repeat(1_000_000))).toBe('invalid_request');
  });

  it('refuses a duplicate member, even if one name is escaped', () => {
    expect(refusalOf('{"a":1,"a":2}')).toBe('invalid_request');
    expect(refusalOf('[{"b":{"a":1,"\\u0061":2}}]')).toBe('invalid_request');
    expect(refusalOf('{"a":{"a":1}}')).toBeUndefined();
  });
});
