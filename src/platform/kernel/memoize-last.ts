/** Makes a value for the last key only: with another key, it is made again. */
export function memoizeLast<K extends object, T>(make: (key: K) => T): (key: K) => T {
  let last: { readonly key: K; readonly value: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
