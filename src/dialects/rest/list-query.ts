import { LANGUAGES, type Language } from '../../tools/catalog/in-language.ts';
import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';

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

/** Query parameters of every address that lists tools. `tools/list` accepts the same. */
export const SEARCH_QUERY = {
  q: {
    type: 'string',
    maxLength: MAX_SEARCH_LENGTH,
    description:
      'Words to find in names, titles, descriptions and parameters, in English or Korean. The best match comes first.',
  },
  category: {
    type: 'string',
    maxLength: 100,
    description:
      'Only this category, such as `weather`. An unknown category is 400; the message lists the categories.',
  },
} as const;

/** The named query parameters that the request contains. Their schemas guarantee that they are strings. */
export function optionalText<Name extends string>(
  query: Readonly<Record<string, unknown>>,
  ...names: Name[]
): Partial<Record<Name, string>> {
  const given = names.filter((name) => query[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, query[name]])) as { [N in Name]?: string };
}

/** The language of titles, descriptions and arguments. */
export const LANGUAGE_QUERY = {
  enum: LANGUAGES,
  default: 'en',
  description: 'Language of the texts: what has no Korean text stays English.',
};

/** The language that a request asks for. `Accept-Language` does not count: programs send it without being asked. */
export const languageIn = (lang: unknown): Language => (lang === 'ko' ? 'ko' : 'en');
