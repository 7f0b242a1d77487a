/** A JSON object of unknown origin. Read it with `own`: its keys may be `__proto__` or `constructor`. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own member; inherited members do not count. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value of an own member if it is a string. */
export function ownText(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** The value of an own member if it is an object, else an empty object. */
export function ownObject(object: JsonObject, key: string): JsonObject {
  const value = own(object, key);
  return isObject(value) ? value : {};
}

const WRITABLE = { enumerable: true, configurable: true, writable: true };

/** Sets an own member. An assignment to `__proto__` would replace the prototype instead. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { ...WRITABLE, value });
  else target[key] = value;
}
