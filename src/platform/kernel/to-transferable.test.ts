import { expect, it } from 'vitest';
import { toTransferable } from './to-transferable.ts';

it('hands over large bytes without a copy, and a copy of small ones, which may be in a pool', () => {
  const large = Buffer.alloc(Buffer.poolSize + 1, 'a');
  expect(toTransferable(large).buffer).toBe(large.buffer);
  expect(Buffer.from(toTransferable(large))).toEqual(large);
  const small = Buffer.from('abc');
  expect(toTransferable(small).buffer).not.toBe(small.buffer);
  expect(Buffer.from(toTransferable(small))).toEqual(small);
});
