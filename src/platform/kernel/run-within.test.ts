import { expect, it } from 'vitest';
import { runWithin, WorkTooSlow } from './run-within.ts';

it('returns what the work returns, and throws what it throws', () => {
  expect(runWithin(1000, () => ({ a: 1 }))).toEqual({ a: 1 });
  const error = new TypeError('Mine.');
  expect(() =>
    runWithin(1000, () => {
      throw error;
    }),
  ).toThrow(error);
});

it.each([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a regular expression', () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)],
  [
    'work that catches everything',
    () => {
      for (;;) {
        try {
          for (;;);
        } catch {}
      }
    },
  ],
])('ends %s', (_name, work) => {
  expect(() => runWithin(20, work)).toThrow(WorkTooSlow);
  expect(runWithin(1000, () => 1)).toBe(1);
});
