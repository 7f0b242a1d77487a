import { expect, it } from 'vitest';
import { connectionsWithin } from './descriptors.ts';

it.each([
  [null, 5000, 5000],
  [1_048_576, 5000, 5000],
  [4096, 5000, 3840],
  [1024, 5000, 768],
  [100, 5000, 50],
  [1024, 100, 100],
])('a limit of %s open files leaves room for %i connections: %i', (limit, wanted, expected) => {
  expect(connectionsWithin(limit, wanted)).toBe(expected);
});
