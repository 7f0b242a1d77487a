/** Entries on one page. */
export const MAX_PAGE = 500;

export const LIMIT_QUERY = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_PAGE,
  default: 100,
  description: 'Entries on a page.',
} as const;

export const CURSOR_QUERY = {
  type: 'string',
  maxLength: 500,
  description: '`nextCursor` of the previous page.',
} as const;

/** The named query parameters that the request contains. Their schemas guarantee that they are strings. */
export function optionalText<Name extends string>(
  query: Readonly<Record<string, unknown>>,
  ...names: Name[]
): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = query[name];
    if (typeof value === 'string') given[name] = value;
  }
  return given;
}
