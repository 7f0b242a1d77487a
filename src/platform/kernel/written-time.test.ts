import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTimeOf, withoutHour24 } from './time.ts';

describe('a written time in ISO 8601', () => {
  it.each([
    ['2026', '2026'],
    ['202611', '2026-11'],
    ['2026-11', '2026-11'],
    ['20261122', '2026-11-22'],
    ['2026.11.22', '2026-11-22'],
    ['2026/11/22', '2026-11-22'],
    ['2026112205', '2026-11-22T05:00+09:00'],
    ['202611220530', '2026-11-22T05:30+09:00'],
    ['20261122053001', '2026-11-22T05:30:01+09:00'],
    ['2026-11-22 05:30', '2026-11-22T05:30+09:00'],
    ['2026-11-22T05:30:00.123Z', '2026-11-22T05:30:00Z'],
    ['2026-11-22T05:30+01:00', '2026-11-22T05:30+01:00'],
    ['2026-11-22 24:00', '2026-11-23T00:00+09:00'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00Z'],
    ['202612312400', '2027-01-01T00:00+09:00'],
    ['2028022824', '2028-02-29T00:00+09:00'],
    ['2026.11.30 24', '2026-12-01T00:00+09:00'],
    ['2026Q1', '2026Q1'],
    ['2026S2', '2026S2'],
  ])('%s is %s', (text, iso) => {
    expect(isoTimeOf(text, '+09:00')).toBe(iso);
  });

  it.each([
    '',
    '-',
    '0',
    'yesterday',
    '20261322',
    '20261132',
    '2026112225',
    '20261122 05:61',
    '2026-11-22 24:01',
    '2026022924',
  ])('%j is none', (text) => {
    expect(isoTimeOf(text, null)).toBeNull();
  });

  it('keeps its form when hour 24 becomes hour 0 of the next day', () => {
    const written = ['2026-11-27 24:00', '202612312400', '2026113024', '2026.11.30T24:00:00'];
    expect(written.map(withoutHour24)).toEqual([
      '2026-11-28 00:00',
      '202701010000',
      '2026120100',
      '2026.12.01T00:00:00',
    ]);
    const others = ['2026-11-27 23:00', '20261124', '1208147524', '2026-02-30 24:00', '24:00', 'x'];
    expect(others.map(withoutHour24)).toEqual(others);
  });

  it('has no offset if none is known', () => {
    expect(isoTimeOf('202611220530', null)).toBe('2026-11-22T05:30');
  });

  it('never throws, and never grows', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect((isoTimeOf(text, '+09:00') ?? '').length).toBeLessThan(50);
      }),
    );
  });
});
