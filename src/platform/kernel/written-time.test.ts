import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTimeOf } from './written-time.ts';

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
    ['2026-11-22 24:00', '2026-11-22T24:00+09:00'],
    ['2026Q1', '2026Q1'],
    ['2026S2', '2026S2'],
  ])('%s is %s', (text, iso) => {
    expect(isoTimeOf(text, '+09:00')).toBe(iso);
  });

  it.each(['', '-', '0', 'yesterday', '20261322', '20261132', '2026112225', '20261122 05:61'])(
    '%j is none',
    (text) => {
      expect(isoTimeOf(text, null)).toBeNull();
    },
  );

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
