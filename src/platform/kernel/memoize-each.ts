/** Makes a value once for each key, and keeps it as long as the key lives. */
export function memoizeEach<K extends object, T extends NonNullable<unknown>>(make: (key: K) => T) {
  const made = new WeakMap<K, T>();
  return (key: K): T => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
