/** A value that may be at hand already. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Uses a value at once when it is at hand, and else as soon as it comes. Where every call passes, as between the parser
 * and the socket, `await` would cost each of them a turn of the microtask queue for nothing.
 */
export function whenReady<T, U>(
  value: Awaitable<T>,
  use: (value: T) => Awaitable<U>,
  /** For a promise that is rejected; not for what `use` throws. */
  fail?: (error: unknown) => Awaitable<U>,
): Awaitable<U> {
  return value instanceof Promise ? value.then(use, fail) : use(value);
}
