import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contact, pageAddress } from './contact.ts';

it.each([
  ['ops@example.com', 'ops@example.com'],
  ["o'neil+data@tools.example.com", "o'neil+data@tools.example.com"],
  ['https://example.com/', 'https://example.com'],
  ['http://example.com/about us?', undefined],
  ['https://example.com/contact?team=data', 'https://example.com/contact?team=data'],
  ['https://example.com/about_(us)', 'https://example.com/about_%28us%29'],
  ['https://예시.example/연락', 'https://xn--vv4b11d.example/%EC%97%B0%EB%9D%BD'],
  ['https://user:hunter2@example.com', undefined],
  ['ftp://example.com', undefined],
  ['mailto:ops@example.com', undefined],
  ['ops@example.com\r\nx: y', undefined],
  ['https://example.com/\r\nx: y', undefined],
  ['ops@example.com) (x', undefined],
  ['ops', undefined],
  [`https://example.com/${'a'.repeat(240)}`, undefined],
])('takes %j as %j', (given, taken) => {
  if (taken === undefined) expect(() => contact(given)).toThrow(/^must be an e-mail address, or/);
  else expect(contact(given)).toBe(taken);
});

it('gives every accepted text as one line without parentheses', () => {
  const texts = fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.emailAddress(), fc.string());
  fc.assert(
    fc.property(texts, (text) => {
      let taken: string;
      try {
        taken = contact(text);
      } catch {
        return;
      }
      expect(taken).toMatch(/^[!-'*-~]+$/);
    }),
  );
});

it('leaves the password out of the address of a page', () => {
  expect(pageAddress('https://user:hunter2@tools.example/a')).toBe('https://tools.example/a');
});
