import { isSchema } from './read-fields.ts';

/** The argument of a range over others; its field holds a text `NAME=VALUES` for each argument that varies. */
export const OVER = '_over';
/** Arguments that one call may vary. */
export const MAX_RANGED = 2;

/** The name of the argument that an entry varies. */
export const nameIn = (entry: string): string =>
  entry.slice(0, Math.max(0, entry.indexOf('='))).trim();

/** The values of an argument, as they are written; undefined if it does not vary. */
export function valuesOf(over: readonly string[], name: string): string | undefined {
  const entry = over.find((each) => nameIn(each) === name);
  return entry?.slice(entry.indexOf('=') + 1).trim();
}

/** Varies an argument by other values; null: not at all. */
export function varied(over: readonly string[], name: string, values: string | null): string[] {
  const entry = `${name}=${values}`;
  if (values === null) return over.filter((each) => nameIn(each) !== name);
  if (valuesOf(over, name) === undefined) return [...over, entry];
  return over.map((each) => (nameIn(each) === name ? entry : each));
}

const WITHIN = /^within:\s*/;

/** The place of `within:PLACE`, or the codes of a list. */
export const placeIn = (values: string): string => values.replace(WITHIN, '');

/** Several codes are a list; else the text names the place that they are in. */
export const withinPlace = (text: string): string => (text.includes(',') ? text : `within:${text}`);

/** Both ends of `A..B`. */
export function endsIn(values: string): readonly [from: string, to: string] {
  const [from = '', to = ''] = values.split('..');
  return [from, to];
}

/** Whether something is entered at every place. */
export const isWhole = (values: string): boolean =>
  placeIn(values).trim() !== '' &&
  (!values.includes('..') || endsIn(values).every((end) => end.trim() !== ''));

/** `_over` as texts: programs may also write `{"NAME": {"from", "to"}}`, `{"in"}` and `{"within"}`. */
export function overTexts(value: unknown): string[] {
  if (!isSchema(value)) return [value ?? []].flat().map(String);
  return Object.entries(value).map(([name, values]) => {
    if (!isSchema(values)) return `${name}=${values}`;
    const { from, to, in: listed, within } = values;
    if (within !== undefined) return `${name}=within:${within}`;
    return `${name}=${listed === undefined ? `${from}..${to}` : [listed].flat().join()}`;
  });
}

/** What is wrong with entries of `_over`, at the arguments that they vary. */
export function atVaried<Issue extends { readonly path: string }>(
  issues: readonly Issue[],
  over: readonly string[],
): Issue[] {
  return issues.map((issue) => {
    const [, at] = /^\/_over\/(\d+)$/.exec(issue.path) ?? [];
    const name = at === undefined ? '' : nameIn(over[Number(at)] ?? '');
    return name === '' ? issue : { ...issue, path: `/${name}` };
  });
}
