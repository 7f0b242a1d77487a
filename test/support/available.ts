import type { Awaitable } from '../../src/platform/kernel/awaitable.ts';

/** A value that is available without waiting. Throws if it is a promise. */
export function available<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new Error('The value is a promise.');
  return value;
}
