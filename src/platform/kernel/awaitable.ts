/** A value that may already be available. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Uses a value immediately if it is available, otherwise as soon as it resolves. On a path that every call takes, such as
 * from the parser to the socket, `await` would cost each call a turn of the microtask queue.
 */
export function whenReady<T, U>(
  value: Awaitable<T>,
  use: (value: T) => Awaitable<U>,
  /** Handles a rejected promise, but not what `use` throws. */
  fail?: (error: unknown) => Awaitable<U>,
): Awaitable<U> {
  return value instanceof Promise ? value.then(use, fail) : use(value);
}

/** Uses values immediately if all of them are available, otherwise as soon as they resolve. */
export const whenAllReady = <T, U>(
  values: readonly Awaitable<T>[],
  use: (values: readonly T[]) => Awaitable<U>,
): Awaitable<U> =>
  values.some((value) => value instanceof Promise)
    ? Promise.all(values).then(use)
    : use(values as readonly T[]);
