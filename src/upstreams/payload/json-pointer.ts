/** A JSON pointer (RFC 6901), taken apart once so that no call splits strings. */
export type Path = readonly string[];

/** `''` is the root and becomes an empty path. */
export const parsePointer = (pointer: string): Path =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

/** An array index as RFC 6901 writes it. */
export const isIndex = (segment: string): boolean => /^(0|[1-9]\d*)$/.test(segment);

/** The value at the end of a path within a value that has been built; own members only. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    if (Array.isArray(value) && !isIndex(name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
