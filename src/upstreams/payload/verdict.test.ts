import { expect, it } from 'vitest';
import { canonicalCode } from './verdict.ts';

it('reads one to four zeros as result code 00 and changes no other code', () => {
  expect(['0', '00', '000', '0000'].map(canonicalCode)).toEqual(['00', '00', '00', '00']);
  const others = ['', '00000', '030', '03', 'OK', '0\n'];
  expect(others.map(canonicalCode)).toEqual(others);
});
