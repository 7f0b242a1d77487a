import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';

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
