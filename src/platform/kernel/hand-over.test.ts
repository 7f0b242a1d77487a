import { expect, it } from 'vitest';
import { handOver } from './hand-over.ts';

it('hands over large bytes without a copy, and a copy of small ones, which may be in a pool', () => {
  const large = Buffer.alloc(Buffer.poolSize + 1, 'a');
  expect(handOver(large).buffer).toBe(large.buffer);
  expect(Buffer.from(handOver(large))).toEqual(large);
  const small = Buffer.from('abc');
  expect(handOver(small).buffer).not.toBe(small.buffer);
  expect(Buffer.from(handOver(small))).toEqual(small);
});
