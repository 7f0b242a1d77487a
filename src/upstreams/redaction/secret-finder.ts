import { type HiddenSecrets, isShortSecret } from './hidden-secret.ts';
import { NONE } from './match-needle.ts';
import { createSecretMatcher } from './secret-matcher.ts';
import { needlesOf } from './secret-needle.ts';
import { createShortSecretFinder } from './short-secret.ts';

/** Finds secrets in texts; what is between `from` and `limit` is one text. */
export interface SecretFinder {
  /** False: there is none in these bytes. */
  mayHold(bytes: Uint8Array): boolean;
  /** Where the first one begins, or `NONE`. */
  find(bytes: Uint8Array, from: number, limit: number): number;
  /** Where ends what was found last. */
  end(): number;
  /** Is this text, a member of that name, a short secret? */
  isMember(name: string, bytes: Uint8Array, from: number, limit: number): boolean;
}

/** Prepares the search for secrets that have values; null where none has. */
export function createSecretFinder(hidden: HiddenSecrets): SecretFinder | null {
  const present = hidden.filter(({ value }) => value.trim() !== '');
  if (present.length === 0) return null;
  const short = present.filter(({ value }) => isShortSecret(value)).map(createShortSecretFinder);
  const needles = present.flatMap(needlesOf);
  const all = createSecretMatcher([...needles, ...short.flatMap(({ values }) => values)]);
  if (short.length === 0) {
    return {
      mayHold: (bytes) => all.find(bytes, 0, bytes.length) !== NONE,
      find: all.find,
      end: all.end,
      isMember: () => false,
    };
  }
  const long = createSecretMatcher(needles);
  let end = NONE;

  return {
    mayHold: (bytes) => all.find(bytes, 0, bytes.length) !== NONE,
    // Place by place: a search for the long ones each time that a short one is found would read all of it again.
    find(bytes, from, limit) {
      for (let at = from; at < limit; at++) {
        if (long.matchAt(bytes, at, limit)) {
          end = long.end();
          return at;
        }
        for (const finder of short) {
          const found = finder.findAt(bytes, at, limit);
          if (found === NONE) continue;
          end = finder.end();
          return found;
        }
      }
      return NONE;
    },
    end: () => end,
    isMember: (name, bytes, from, limit) =>
      short.some((finder) => finder.isMember(name, bytes, from, limit)),
  };
}
