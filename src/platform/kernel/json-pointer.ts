import { isObject, own } from './plain-json.ts';

/** The reference tokens of a JSON pointer (RFC 6901), unescaped. `''` is the root and becomes an empty path. */
export type Path = readonly string[];

/** A value and its JSON pointer in its document. */
export interface Located<T = unknown> {
  readonly value: T;
  readonly pointer: string;
}

/** Splits a JSON pointer into its reference tokens. */
export function parsePointer(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON pointer extended by one reference token. */
export function pointerTo(base: string, token: string | number): string {
  const text = String(token);
  return `${base}/${/[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text}`;
}

/** Is this a JSON pointer? `''`, the pointer to the whole document, is one. */
export function isJsonPointer(value: unknown): value is string {
  return typeof value === 'string' && /^(\/([^~]|~[01])*)?$/.test(value);
}

/** An array index as RFC 6901 writes it. */
export function isIndex(token: string): boolean {
  return /^(0|[1-9]\d*)$/.test(token);
}

/** The element or own member that one reference token names. */
export function child(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return isIndex(token) ? value[Number(token)] : undefined;
  return isObject(value) ? own(value, token) : undefined;
}

/** The value at the end of a path. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const token of path) value = child(value, token);
  return value;
}
