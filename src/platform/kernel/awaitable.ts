/** A value that may be at hand already. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Uses a value at once when it is at hand, and else as soon as it comes. Where every call passes, as between the parser
 * and the socket, `await` would cost each of them a turn of the microtask queue for nothing.
 */
export function whenReady<T, U>(
  value: Awaitable<T>,
  use: (value: T) => U,
  /** For a value that does not come, and where `use` fails later; what `use` throws at once is thrown. */
  fail: (error: unknown) => U = rethrow,
): Awaitable<U> {
  return value instanceof Promise ? value.then(use).catch(fail) : use(value);
}

function rethrow(error: unknown): never {
  throw error;
}
