import { expect, it } from 'vitest';
import { createLocalCounter, MAX_WINDOWS } from './local-counter.ts';

it('adds up the points of a window, and starts a new one after it', () => {
  const counter = createLocalCounter();
  expect(counter.add('key', 2, 0).used).toBe(2);
  expect(counter.add('key', 3, 59_999)).toEqual({ used: 5, endMs: 60_000 });
  expect(counter.add('key', 1, 60_000)).toEqual({ used: 1, endMs: 120_000 });
});

it('remembers a bounded number of windows, and forgets the least recently used', () => {
  const counter = createLocalCounter();
  for (let i = 0; i <= MAX_WINDOWS; i++) counter.add(`key ${i}`, 1, 0);
  expect(counter.add('key 1', 1, 0).used).toBe(2);
  expect(counter.add('key 0', 1, 0).used).toBe(1);
});
