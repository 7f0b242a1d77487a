import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../../../test/support/arbitrary-text.ts';
import { canonicalCode, cleanMessage, MAX_MESSAGE_CHARACTERS } from './judge-payload.ts';

it('reads one to four zeros as result code 00 and changes no other code', () => {
  expect(['0', '00', '000', '0000'].map(canonicalCode)).toEqual(['00', '00', '00', '00']);
  const others = ['', '00000', '030', '03', 'OK', '0\n'];
  expect(others.map(canonicalCode)).toEqual(others);
});

it.each([
  ['인증키가\r\n 유효하지\t않습니다. ', '인증키가 유효하지 않습니다.'],
  ['a\u0000b\u202ec\u200bd', 'a b c d'],
  [' \n', undefined],
  [undefined, undefined],
])('a message is one line: %j', (text, line) => {
  expect(cleanMessage(text)).toBe(line);
});

it('a message has at most 300 characters, and none of them is broken', () => {
  expect(cleanMessage('가'.repeat(1000))).toBe('가'.repeat(MAX_MESSAGE_CHARACTERS));
  expect(cleanMessage('😀'.repeat(1000))).toBe('😀'.repeat(MAX_MESSAGE_CHARACTERS));
  fc.assert(
    fc.property(anyText({ maxLength: 3000 }), (text) => {
      const line = cleanMessage(text) ?? 'x';
      expect([...line].length).toBeLessThanOrEqual(MAX_MESSAGE_CHARACTERS);
      expect(line).toMatch(/^\S( ?\S)*$/u);
      expect(line.isWellFormed()).toBe(true);
    }),
  );
});
