import MiniSearch from 'minisearch';
import type { CatalogEntry } from '../catalog-entry.ts';
import type { JsonSchema } from '../model.ts';
import { termsOf, weighQuery } from './search-terms.ts';
import { isLatin } from './search-words.ts';

/** How well each entry that fits the query does so, by entry id. The same for the same entries and query anywhere. */
export type ScoreEntries = (query: string) => Map<string, number>;

/** What a tool is found by, with how much each counts: what it is called weighs more than what is said of it. */
const FIELDS: Readonly<Record<string, { weight: number; text: (entry: CatalogEntry) => string }>> =
  {
    name: { weight: 3, text: ({ tool }) => tool.name },
    title: { weight: 3, text: ({ tool }) => tool.title ?? '' },
    server: { weight: 3, text: ({ server }) => server.name },
    description: { weight: 2, text: ({ tool }) => tool.description },
    category: { weight: 1, text: ({ category }) => category },
    parameters: { weight: 0.3, text: ({ tool }) => parametersOf(tool.inputSchema) },
  };

/** Reads every entry once; takes some milliseconds. */
export function createSearchIndex(entries: readonly CatalogEntry[]): ScoreEntries {
  const index = new MiniSearch<CatalogEntry>({
    fields: Object.keys(FIELDS),
    extractField: (entry, name) => (name === 'id' ? entry.id : FIELDS[name]?.text(entry)),
    tokenize: termsOf,
    processTerm: (term) => term,
    searchOptions: {
      boost: Object.fromEntries(Object.entries(FIELDS).map(([name, { weight }]) => [name, weight])),
      prefix: (term) => isLatin(term) && term.length > 2,
      fuzzy: (term) => isLatin(term) && term.length > 4 && (term.length > 8 ? 2 : 1),
    },
  });
  index.addAll(entries);
  return (query) => {
    const weights = weighQuery(query);
    const results = index.search(query, {
      tokenize: () => [...weights.keys()],
      boostTerm: (term) => weights.get(term) ?? 0,
    });
    return new Map(results.map(({ id, score }) => [id, score]));
  };
}

/** Names and descriptions of the arguments. */
function parametersOf({ properties }: JsonSchema): string {
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, schema]) => `${name} ${schema['description'] ?? ''}`)
    .join('\n');
}
