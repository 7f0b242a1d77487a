import { describe, expect, it } from 'vitest';
import { compilePattern, quickPattern } from './compile-pattern.ts';

describe('the pattern of a preset', () => {
  it.each([
    '^\\d{8}$',
    '^[A-Z]{2,3}-?\\d+$',
    '^(?:[01]\\d|2[0-3])[0-5]\\d$',
    '[가-힣]+',
    '^\\p{L}+$',
    '^[\\w\\-]+@[\\w.]+$',
    '^(ab){2,5}$',
    '\\-',
  ])('may be %s', (pattern) => {
    expect(quickPattern(pattern)).toBeInstanceOf(RegExp);
  });

  it.each([
    '^(a+)+$',
    '^(a|aa)*$',
    '^(a?){50}$',
    `^${'a?'.repeat(30)}${'a'.repeat(30)}$`,
    '^\\s*\\s*\\s*\\s*$',
    '(.*)(.*)(.*)x',
    '^(?=(a+)+$)',
    '^([a-z0-9]+\\.?)+$',
    '\\d+x',
  ])('must not be %s, which takes long on a long text', (pattern) => {
    expect(quickPattern(pattern)).toBeUndefined();
    expect(compilePattern(pattern)).toBeInstanceOf(RegExp);
  });
});

it('compiles no invalid and no very long pattern', () => {
  expect(compilePattern('(')).toBeUndefined();
  expect(compilePattern('a'.repeat(2001))).toBeUndefined();
});
