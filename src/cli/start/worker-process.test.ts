import { expect, it } from 'vitest';
import { pauseAfter } from './worker-process.ts';

it('starts a worker again at once, and then after pauses that grow to half a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 1000].map(pauseAfter)).toEqual([
    0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
  ]);
});
