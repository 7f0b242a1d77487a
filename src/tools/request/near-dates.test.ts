import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { otherTimeForms } from './near-dates.ts';

describe('the other forms of a date or a time', () => {
  it.each([
    ['2026-11-22', ['20261122', '2026-11-22']],
    ['2026.11.22', ['20261122', '2026-11-22']],
    ['20261122', ['20261122', '2026-11-22']],
    ['2026-11', ['202611', '2026-11']],
    ['202611', ['202611', '2026-11']],
    ['05:00', ['0500', '05:00', '05']],
    ['5:30', ['0530', '05:30']],
    ['2026-11-22T05:30', ['202611220530', '2026-11-22T05:30', '20261122053000']],
    ['202611220530', ['202611220530', '2026-11-22T05:30', '20261122053000']],
    ['2026-11-22 05:30:15', ['20261122053015']],
  ])('of %s are %j', (text, forms) => {
    expect(otherTimeForms(text)).toEqual(forms);
  });

  it('are those of the date, too, at midnight', () => {
    expect(otherTimeForms('2026-11-22T00:00:00')).toContain('20261122');
    expect(otherTimeForms('2026-11-22T00:00:15')).not.toContain('20261122');
  });

  it.each([
    '2026-02-29',
    '2026-13',
    '20261131',
    '24:00',
    '12:60',
    '2026-11/22',
    '2026-11-22T05:00Z',
    '2026-11-22T05:00+09:00',
    '22.11.2026',
    '2026',
    '0500',
    '',
  ])('do not exist for %j', (text) => {
    expect(otherTimeForms(text)).toEqual([]);
  });

  it('lead back to the same forms', () => {
    const dates = fc.date({
      min: new Date('1900-01-01'),
      max: new Date('2099-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        const day = date.toISOString().slice(0, 10);
        const forms = otherTimeForms(day);
        expect(forms).toContain(day);
        for (const form of forms) expect(otherTimeForms(form)).toEqual(forms);
      }),
    );
  });

  it('are found without an exception for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void otherTimeForms(text)));
  });
});
