/** A JSON object of unknown origin. Read it with `own`: its keys may be `__proto__` or `constructor`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value and the JSON pointer at which it stands in its document. */
export interface Located<T = unknown> {
  readonly value: T;
  readonly pointer: string;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own key; what the prototype carries does not count. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The own key's value when it is a string. */
export function ownText(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** Sets an own key, also one named `__proto__`, which an assignment would take for the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    target[key] = value;
  }
}

/** A JSON pointer (RFC 6901) extended by one reference token. */
export function pointerTo(base: string, token: string | number): string {
  const text = String(token);
  return `${base}/${/[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text}`;
}

/** The reference tokens of a JSON pointer (RFC 6901), unescaped. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Is this a JSON pointer (RFC 6901), `''` for the whole included? */
export function isJsonPointer(value: unknown): value is string {
  return typeof value === 'string' && /^(\/([^~]|~[01])*)?$/.test(value);
}

/** The element that one reference token names. */
export function child(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) ? own(value, token) : undefined;
}
