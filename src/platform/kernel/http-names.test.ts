import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseCoding, chooseLanguage } from './http-names.ts';

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

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['ko-KR,ko;q=0.9,en-US;q=0.8', 'ko'],
  ['en-GB, ko;q=0.9', 'en'],
  ['KO', 'ko'],
  ['fr, ko;q=0.5, en;q=0.4', 'ko'],
  ['ko;q=0', 'en'],
  ['kok, *', 'en'],
])('Accept-Language "%s" gets %s', (header, language) => {
  expect(chooseLanguage(header)).toBe(language);
});
