import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeOf } from './schema.ts';

it.each([
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60.7z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T08:59:60+09:00', '2017-01-01T00:00:00.000Z'],
  ['2026-01-01T09:00:00+09', '2026-01-01T00:00:00.000Z'],
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('parses %s as %s', (text, dateTime) => {
  expect(new Date(timeOf('from', text)).toISOString()).toBe(dateTime);
});

it('parses every date without changing it', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true, min: new Date(0) }), (date) => {
      expect(timeOf('to', date.toISOString())).toBe(date.getTime());
    }),
  );
});

it('names the parameter that is not a date-time', () => {
  expect(() => timeOf('from', 'yesterday')).toThrow('"from" is not a date-time.');
});
