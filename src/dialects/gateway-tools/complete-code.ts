import { setImmediate } from 'node:timers/promises';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { CodeFinder, FoundCode } from './code-finder.ts';
import { GATEWAY_TOOL_LIMITS } from './gateway-tools.ts';

/** Values of one completion (MCP, "Completion Results"). */
const MAX_VALUES = 100;

const LATIN = /[a-z]/i;

/** The kinds of codes that begin with a text. */
export function completeKind({ kinds }: CodeFinder, text: string) {
  const found = kinds.filter((kind) => kind.startsWith(text));
  return toCompletion(found, false);
}

/**
 * The names of codes that fit a text: of one kind, or of all kinds in turn but for those whose codes are still to be
 * fetched. Rejects if the codes of the one kind cannot be fetched.
 */
export async function completeName(codes: CodeFinder, text: string, kind: string | undefined) {
  if (text.trim() === '') return toCompletion([], false);
  const kinds = kind === undefined ? codes.kinds : [kind];
  const limit = kind === undefined ? GATEWAY_TOOL_LIMITS.defaultHits : GATEWAY_TOOL_LIMITS.codes;
  const found: (readonly FoundCode[])[] = [];
  for (const each of kinds) {
    // A search takes up to 10 ms: other requests get their turn between two of them.
    if (found.length > 0) await setImmediate();
    const hits = codes.find({ kind: each, text, limit });
    found.push(kind === undefined ? availableNow(hits) : await hits);
  }
  const names = inTurn(found).map((code) => nameOf(code, LATIN.test(text)));
  const isCut = found.some(({ length }) => length === limit);
  return toCompletion([...new Set(names)], isCut);
}

/** What is available without waiting. */
function availableNow(hits: Awaitable<readonly FoundCode[]>): readonly FoundCode[] {
  if (!(hits instanceof Promise)) return hits;
  hits.catch(() => undefined);
  return [];
}

/** What a text may be completed to, best first. Without a total if the search ended before the last value. */
function toCompletion(values: readonly string[], isCut: boolean) {
  return {
    values: values.slice(0, MAX_VALUES),
    ...(isCut ? {} : { total: values.length }),
    hasMore: isCut || values.length > MAX_VALUES,
  };
}

/** A name by which the code is found again: in the letters that were typed, and not too long to be searched. */
function nameOf({ code, name, nameEn, romanised }: FoundCode, isLatin: boolean): string {
  const wanted = isLatin ? (nameEn ?? romanised ?? name) : name;
  return wanted.length > GATEWAY_TOOL_LIMITS.codeTextCharacters ? code : wanted;
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();
}
