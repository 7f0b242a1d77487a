/** A JSON pointer (RFC 6901), taken apart once so that no call splits strings. */
export type Path = readonly string[];

export type JsonObject = Readonly<Record<string, unknown>>;

/** `''` is the root and becomes an empty path. */
export const parsePointer = (pointer: string): Path =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An array index as RFC 6901 writes it. */
export const isIndex = (segment: string): boolean => /^(0|[1-9]\d*)$/.test(segment);

/** The member or element of that name, own ones only; undefined when there is none. */
export function childOf(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return isIndex(segment) ? value[Number(segment)] : undefined;
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/**
 * The value at a path, or undefined. An object also answers to index 0: it is a single row that has not been put
 * into its array yet, and paths are written for the normalised payload.
 */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) {
    const child = childOf(value, segment);
    value = child === undefined && segment === '0' && isObject(value) ? value : child;
  }
  return value;
}
