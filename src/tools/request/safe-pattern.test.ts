import { describe, expect, it } from 'vitest';
import { safePattern } from './safe-pattern.ts';

describe('safe patterns', () => {
  it.each([
    '^\\d{8}$',
    '^[A-Z]{2,3}-?\\d+$',
    '^(?:[01]\\d|2[0-3])[0-5]\\d$',
    '[가-힣]+',
    '^\\p{L}+$',
    '^[\\w\\-]+@[\\w.]+$',
    '^(ab){2,5}$',
    '\\-',
  ])('accepts %s', (pattern) => {
    expect(safePattern(pattern)).toBeInstanceOf(RegExp);
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
  ])('rejects %s, which can take exponential or high polynomial time', (pattern) => {
    expect(safePattern(pattern)).toBeUndefined();
  });

  it('rejects invalid and very long patterns', () => {
    expect(safePattern('(')).toBeUndefined();
    expect(safePattern('a'.repeat(501))).toBeUndefined();
  });
});
