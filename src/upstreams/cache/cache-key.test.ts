import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheKey } from './cache-key.ts';

/** Arguments as they arrive: parsed from JSON. Minus zero is sent to an upstream as `0`, so it counts as zero. */
const jsonArguments = fc
  .dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue(), { maxKeys: 4 })
  .map((args) => JSON.parse(JSON.stringify(args)) as Record<string, unknown>);

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value).reverse()) {
    Object.defineProperty(copy, name, { value: reversed(member), enumerable: true });
  }
  return copy;
}

describe('cacheKey', () => {
  it('is the same whatever the order of properties, at any depth', () => {
    fc.assert(
      fc.property(jsonArguments, (args) => {
        const other = reversed(args) as Record<string, unknown>;
        expect(cacheKey('v', other, 'c')).toBe(cacheKey('v', args, 'c'));
      }),
    );
  });

  it('is equal exactly when the arguments are deeply equal', () => {
    fc.assert(
      fc.property(jsonArguments, jsonArguments, (a, b) => {
        expect(cacheKey('v', a, 'c') === cacheKey('v', b, 'c')).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it('is equal exactly when version and credential are equal too', () => {
    const text = fc.oneof(fc.constantFrom('', '"', ',', '","', 'a', '\\'), fc.string());
    fc.assert(
      fc.property(text, text, text, text, (version, credential, otherVersion, otherCredential) => {
        const same = version === otherVersion && credential === otherCredential;
        const key = cacheKey(version, {}, credential);
        expect(key === cacheKey(otherVersion, {}, otherCredential)).toBe(same);
      }),
    );
  });

  it.each([
    ['arrays in a different order', { a: [1, 2] }, { a: [2, 1] }],
    ['a number and the string of its digits', { a: 1 }, { a: '1' }],
    ['null and a missing property', { a: null }, {}],
    ['an empty array and an empty object', { a: [] }, { a: {} }],
    ['nested and flat properties', { a: { b: 1 } }, { a: 1, b: 1 }],
    ['a property called __proto__', JSON.parse('{"__proto__":1}'), {}],
    ['two values of __proto__', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}')],
  ])('is different for %s', (_what, a, b) => {
    expect(cacheKey('v', a, 'c')).not.toBe(cacheKey('v', b, 'c'));
  });

  it('rejects arguments that are nested too deeply as invalid', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(() => cacheKey('v', deep, 'c')).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    );
  });
});
