import type { HiddenSecrets } from '../../tools/tool-connection.ts';
import { EscapedText } from './escaped-text.ts';
import { isShortSecret } from './is-short-secret.ts';
import { NONE } from './match-needle.ts';
import { createSecretMatcher } from './secret-matcher.ts';
import { needlesOf } from './secret-needle.ts';
import { createShortSecretFinder } from './short-secret.ts';

/** Finds secrets in a text, up to its limit. */
export interface SecretFinder {
  /** False if these bytes contain no secret. */
  mayHold(bytes: Uint8Array): boolean;
  /** The start of the first secret, or `NONE`. */
  find(text: EscapedText, from: number): number;
  /** The end of the latest match. */
  end(): number;
  /** Whether the text from `from`, a member of this name, is a short secret. */
  isMember(name: string, text: EscapedText, from: number): boolean;
}

/** Prepares the search for the secrets that have values; null if none has. */
export function createSecretFinder(hidden: HiddenSecrets): SecretFinder | null {
  const present = hidden.filter(({ value }) => value.trim() !== '');
  if (present.length === 0) return null;
  const short = present.filter(({ value }) => isShortSecret(value)).map(createShortSecretFinder);
  const needles = present.flatMap(needlesOf);
  const all = createSecretMatcher([...needles, ...short.flatMap(({ values }) => values)]);
  const mayHold = (bytes: Uint8Array): boolean => all.find(new EscapedText(bytes), 0) !== NONE;
  if (short.length === 0) {
    return { mayHold, find: all.find, end: all.end, isMember: () => false };
  }
  const long = createSecretMatcher(needles);
  let end = NONE;

  return {
    mayHold,
    // Position by position: a search for the long secrets after each short one would read the rest of the text again.
    find(text, from) {
      for (let at = from; at < text.limit; at++) {
        if (long.matchAt(text, at)) {
          end = long.end();
          return at;
        }
        for (const finder of short) {
          const found = finder.findAt(text, at);
          if (found === NONE) continue;
          end = finder.end();
          return found;
        }
      }
      return NONE;
    },
    end: () => end,
    isMember: (name, text, from) => short.some((finder) => finder.isMember(name, text, from)),
  };
}
