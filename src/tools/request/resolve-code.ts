import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';

export interface ResolvedCode {
  readonly code: string;
  /** For places, in degrees (WGS84). */
  readonly lat?: unknown;
  readonly lon?: unknown;
}

/** The codes that a text may mean; none if it means none. */
export interface CodeChoices {
  readonly choices: readonly {
    readonly code: string;
    readonly name: string;
    readonly [more: string]: unknown;
  }[];
}

/**
 * Finds the code of a kind, such as `district`, that a text names. `argument` is the name of the argument. A promise, which
 * may reject, is of a kind whose codes are fetched.
 */
export type ResolveCode = (
  kind: string,
  text: string,
  argument?: string,
) => Awaitable<ResolvedCode | CodeChoices>;

export const resolveNothing = (): CodeChoices => ({ choices: [] });

/** Characters of a name that is looked up. */
export const MAX_NAME = 100;

/** The same look-up, without texts that are too long for a name. */
export const namesOnly =
  (resolveCode: ResolveCode): ResolveCode =>
  (kind, text, argument) =>
    text.length > MAX_NAME ? resolveNothing() : resolveCode(kind, text, argument);

/** Choices that an issue lists. */
const MAX_CHOICES = 10;
/** Characters of the caller's value that an issue repeats. */
const MAX_QUOTED = 40;

export function ambiguous(name: string, value: string, choices: readonly string[]): ArgumentIssue {
  const quoted = value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}...` : value;
  const listed = choices.slice(0, MAX_CHOICES).join(', ');
  const rest = choices.length - MAX_CHOICES;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return {
    path: pointerTo('', name),
    message: `is ${JSON.stringify(quoted)}: choose one of ${listed}${more}.`,
  };
}

/** The issue that a name has several codes; undefined if it has none. */
export const ambiguousCode = (
  name: string,
  text: string,
  { choices }: CodeChoices,
): ArgumentIssue | undefined =>
  choices.length === 0 ? undefined : ambiguous(name, text, choices.map(printChoice));

const printChoice = ({ code, name, ticker }: CodeChoices['choices'][number]): string =>
  `${code} (${name}${typeof ticker === 'string' ? `, ${ticker}` : ''})`;
