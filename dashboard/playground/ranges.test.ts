import { describe, expect, it } from 'vitest';
import {
  atVaried,
  endsIn,
  isWhole,
  overTexts,
  placeIn,
  valuesOf,
  varied,
  withinPlace,
} from './ranges.ts';

describe('the entries of a range', () => {
  it('varies arguments, changes their values and stops', () => {
    const one = varied([], 'month', '202501..');
    const two = varied(one, 'code', 'within:');
    expect(two).toEqual(['month=202501..', 'code=within:']);
    expect(varied(two, 'month', '202501..202502')).toEqual([
      'month=202501..202502',
      'code=within:',
    ]);
    expect(varied(two, 'month', null)).toEqual(['code=within:']);
    expect(valuesOf(two, 'code')).toBe('within:');
    expect(valuesOf(['month = 1..2'], 'month')).toBe('1..2');
    expect(valuesOf(two, 'mon')).toBeUndefined();
  });

  it('reads both ends, and a place or a list of codes', () => {
    expect(endsIn('1..2')).toEqual(['1', '2']);
    expect(endsIn('')).toEqual(['', '']);
    expect(placeIn('within: Seoul')).toBe('Seoul');
    expect(withinPlace('Seoul')).toBe('within:Seoul');
    expect(withinPlace('11110,11140')).toBe('11110,11140');
  });

  it.each([
    ['1..2', true],
    ['a,b', true],
    ['within:Seoul', true],
    ['', false],
    ['1..', false],
    ['..2', false],
    ['within: ', false],
  ])('takes %j for whole: %s', (values, expected) => {
    expect(isWhole(values)).toBe(expected);
  });

  it('writes objects as texts', () => {
    expect(
      overTexts({ a: { from: 1, to: 2 }, b: { in: ['x', 'y'] }, c: { within: 'Seoul' } }),
    ).toEqual(['a=1..2', 'b=x,y', 'c=within:Seoul']);
    expect(overTexts({ a: [1, 2] })).toEqual(['a=1,2']);
    expect(overTexts('a=1..2')).toEqual(['a=1..2']);
    expect(overTexts(undefined)).toEqual([]);
  });

  it('puts an issue of an entry at the argument that varies', () => {
    const issues = ['/_over/1', '/_over/7', '/other'].map((path) => ({ path }));
    expect(atVaried(issues, ['a=1..2', 'b=x'])).toEqual([
      { path: '/b' },
      { path: '/_over/7' },
      { path: '/other' },
    ]);
  });
});
