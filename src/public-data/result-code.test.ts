import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNoData, isTransient, publicDataHint, publicDataMessage } from './result-code.ts';

describe('publicDataMessage', () => {
  it.each([
    ['00', 'OK'],
    ['30', 'Unregistered service key'],
    ['31', 'Expired service key'],
    ['32', 'Unregistered IP'],
    ['22', 'Unknown public-data error (22)'],
    ['03', 'Unknown public-data error (03)'],
    ['030', 'Unregistered service key'],
    ['031', 'Expired service key'],
    ['022', 'Unknown public-data error (022)'],
    ['300', 'Unknown public-data error (300)'],
    ['toString', 'Unknown public-data error (toString)'],
  ])('describes %s as: %s', (code, message) => {
    expect(publicDataMessage(code)).toBe(message);
  });

  it('quotes any other code', () => {
    const known = new Set(['00', '30', '31', '32', '000', '030', '031', '032']);
    const other = fc.string().filter((code) => !known.has(code));
    fc.assert(
      fc.property(other, (code) => {
        expect(publicDataMessage(code)).toBe(`Unknown public-data error (${code})`);
      }),
    );
  });
});

describe('publicDataHint', () => {
  it('has advice for every code that the portal documents, and none for success', () => {
    const codes = '01 02 03 04 05 10 11 12 20 21 22 23 30 31 32 33 99'.split(' ');
    for (const code of codes) expect(publicDataHint(code)).toMatch(/\.$/);
    expect(publicDataHint('00')).toBeUndefined();
    expect(publicDataHint('OK')).toBeUndefined();
  });

  it.each(['20', '21', '30', '31', '32'])('says what the operator must do about %s', (code) => {
    expect(publicDataHint(code)).toMatch(/the operator must .* data\.go\.kr/);
  });

  it.each(['22', '23'])('says how long the caller must wait after %s', (code) => {
    expect(publicDataHint(code)).toMatch(/wait (until|a moment)/);
  });

  it('distinguishes a used-up quota from an unregistered key', () => {
    expect(publicDataHint('22')).toContain('quota');
    expect(publicDataHint('30')).toContain('does not know the service key');
  });

  it('treats three-digit codes like their two-digit equivalents', () => {
    expect(publicDataHint('030')).toBe(publicDataHint('30'));
    expect(isNoData('003')).toBe(true);
    expect(isNoData('03')).toBe(true);
    expect(isNoData('30')).toBe(false);
  });
});

it('Failures of the service itself are transient, and no others', () => {
  const codes = ['00', '01', '02', '03', '04', '05', '10', '12', '22', '30', '99'];
  expect(codes.filter(isTransient)).toEqual(['01', '02', '04', '05']);
});
