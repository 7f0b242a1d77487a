import type { RowSearch } from '../model.ts';
import { plainName } from './row-names.ts';

/** Words that say what is done, and not with what: `/transactions/get` is about transactions. */
const VERBS = new Set(
  'get list search find query fetch all latest filter lookup select recent updates best popular related my'.split(
    ' ',
  ),
);

/** A name in the singular, so that `categories` is like `category`. */
const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(?<=(s|x|ch|sh))es$/, '')
    .replace(/s$/, '');

/** The words by which the last part of a path that is no parameter may name its rows. */
export function rowSearchOf(path: string): Pick<RowSearch, 'names' | 'isOne'> {
  const segments = path.split('/').filter(Boolean);
  const named = segments
    .map((segment) => segment.replace(/\{[^{}]*\}/g, ''))
    .filter((segment) => /[a-z]/i.test(segment));
  const words = named.flatMap(wordsOf).filter((word) => !FORMATS.has(word));
  const subject = words
    .slice(0, words.findLastIndex((word) => !VERBS.has(word)) + 1)
    .slice(-MAX_WORDS);
  const names = subject.map((_, at) => plainName(subject.slice(at).join('')));
  return {
    names: names.filter((name) => name.length > 2).map(singular),
    isOne: /^\{(?![^}]*(format|locale|lang|query))[^}]*\}$/i.test(segments.at(-1) ?? ''),
  };
}

const FORMATS = new Set(['json', 'xml', 'csv']);
/** Words of one name. */
const MAX_WORDS = 3;

const wordsOf = (segment: string): string[] =>
  segment
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Whether a list is named like the path: by its last words, in the singular or the plural, perhaps as a list. */
export const isNamedLike = (plain: string, { names }: Pick<RowSearch, 'names'>): boolean =>
  names.includes(singular(plain)) || names.includes(singular(plain.replace(/list$/, '')));
