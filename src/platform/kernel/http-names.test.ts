import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseCoding } from './http-names.ts';

it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.2, gzip;q=0.8', 'gzip'],
  ['br;q=0', 'identity'],
  ['gzip;q=0.5, identity', 'identity'],
  ['gzip; q=1.0', 'gzip'],
  ['br;q=much', 'identity'],
])('Accept-Encoding "%s" gets %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});

it('chooses a supported coding for any text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(['br', 'gzip', 'identity']).toContain(chooseCoding(text));
    }),
  );
});
