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
