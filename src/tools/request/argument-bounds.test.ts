import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMeasure } from './argument-bounds.ts';

const measure = createMeasure({ type: 'object' });
const listOf = (length: number): unknown[] => Array.from({ length }, () => 0);
const nest = (levels: number): unknown => (levels === 0 ? 0 : [nest(levels - 1)]);

describe('measuring arguments', () => {
  it('counts values, including those in arrays and objects', () => {
    expect(measure({})).toBe(0);
    expect(measure({ a: 1, b: 'x', c: null, d: [1, { e: true }] })).toBe(7);
  });

  it('starts counting at zero for every call', () => {
    expect(measure({ a: 1 })).toBe(1);
    expect(measure({ a: 1 })).toBe(1);
  });

  it.each([
    ['an array of 1,001 items', { a: [listOf(1001)] }, '/a/0', /at most 1000 items, but has 1001/],
    [
      'more than 10,000 values',
      { a: listOf(1000), b: Array.from({ length: 10 }, () => listOf(1000)) },
      '',
      /more than 10000 values/,
    ],
    ['more than 64 levels', { a: nest(65) }, '', /deeper than 64 levels/],
    ['an unpaired surrogate', { a: { b: '\ud800' } }, '/a/b', /well-formed/],
    ['an unpaired surrogate in a name', { a: { '\udc00': 1 } }, '/a', /well-formed/],
    [
      'a number that a double cannot hold',
      { a: [1, JSON.rawJSON('9007199254740993')] },
      '/a/1',
      /9007199254740993.*in quotes/,
    ],
  ])('rejects %s', (_title, args, path, message) => {
    expect(measure(args)).toEqual({ path, message: expect.stringMatching(message) });
  });

  it('accepts arguments at the bounds', () => {
    expect(measure({ a: listOf(1000), b: nest(64), c: '\ud83d\ude00' })).toBe(1067);
  });

  it('accepts longer arrays if the schema does', () => {
    const schema = { properties: { a: { anyOf: [{ type: 'array', maxItems: 5000 }] } } };
    expect(createMeasure(schema)({ a: listOf(5000) })).toBe(5001);
    expect(createMeasure(schema)({ a: listOf(5001) })).toMatchObject({ path: '/a' });
  });

  it('accepts any small JSON value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (args) => {
        expect(measure(args)).toBeTypeOf('number');
      }),
    );
  });
});
