import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';

/** Query parameters of every address that lists tools; `tools/list` takes the same. */
export const SEARCH_QUERY = {
  q: {
    type: 'string',
    maxLength: MAX_SEARCH_LENGTH,
    description:
      'Words to find, in English or Korean, in names, titles, descriptions and parameters; the best match comes first.',
  },
  category: {
    type: 'string',
    maxLength: 100,
    description:
      'Only this category, such as `weather`; an unknown one is 400 and names those there are.',
  },
} as const;
