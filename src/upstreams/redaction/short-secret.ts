import { characterEnd, readCharacter } from './escaped-character.ts';
import type { HiddenSecret } from './hidden-secret.ts';
import { matchNeedle, NONE } from './match-needle.ts';
import { anyCaseNeedle, type Needle, textNeedle } from './secret-needle.ts';

/** Finds a short secret where it stands as its parameter's or header's whole value, and nowhere else. */
export interface ShortSecretFinder {
  /** Every spelling of the value, for a first look. */
  readonly values: readonly Needle[];
  /** Where a value begins in `name=value`, `/value/` or `Bearer value` that begins at `at`, or `NONE`. */
  findAt(bytes: Uint8Array, at: number, limit: number): number;
  /** Is this all of the value of a member of this name? */
  isMember(name: string, bytes: Uint8Array, from: number, limit: number): boolean;
  /** Where ends what was found last. */
  end(): number;
}

/** Separators and quotes between a name and its value. */
const MAX_SEPARATORS = 8;

export function createShortSecretFinder(secret: HiddenSecret): ShortSecretFinder {
  const value = secret.value.trim();
  const sent = secret.prefix === 'Basic ' ? Buffer.from(value).toString('base64') : value;
  const values = [...new Set([value, sent])].map(textNeedle);
  const name = anyCaseNeedle(secret.name.toLowerCase());
  const prefix = secret.prefix === '' ? null : anyCaseNeedle(secret.prefix.toLowerCase());
  let end = NONE;

  /** Is this the value, with nothing but a separator after it? */
  function isValue(bytes: Uint8Array, at: number, limit: number): boolean {
    for (const needle of values) {
      end = matchNeedle(needle, bytes, at, limit);
      if (end !== NONE && (end >= limit || !isWordCharacter(readCharacter(bytes, end, limit)))) {
        return true;
      }
    }
    return false;
  }

  /** `at`, or the place after the prefix that stands there, where the value begins; `NONE` if it does not. */
  function valueAt(bytes: Uint8Array, at: number, limit: number): number {
    if (isValue(bytes, at, limit)) return at;
    return afterPrefix(bytes, at, limit);
  }

  function afterPrefix(bytes: Uint8Array, at: number, limit: number): number {
    const start = prefix === null ? NONE : matchNeedle(prefix, bytes, at, limit);
    return start !== NONE && isValue(bytes, start, limit) ? start : NONE;
  }

  function afterName(bytes: Uint8Array, at: number, limit: number): number {
    const nameEnd = matchNeedle(name, bytes, at, limit);
    const start = nameEnd === NONE ? NONE : afterSeparators(bytes, nameEnd, limit);
    return start === NONE ? NONE : valueAt(bytes, start, limit);
  }

  function afterSlash(bytes: Uint8Array, at: number, limit: number): number {
    if (secret.in !== 'path' || readCharacter(bytes, at, limit) !== 0x2f) return NONE;
    const start = characterEnd();
    return isValue(bytes, start, limit) ? start : NONE;
  }

  return {
    values,
    findAt(bytes, at, limit) {
      const named = afterName(bytes, at, limit);
      if (named !== NONE) return named;
      const prefixed = afterPrefix(bytes, at, limit);
      return prefixed === NONE ? afterSlash(bytes, at, limit) : prefixed;
    },
    isMember(member, bytes, from, limit) {
      if (member.toLowerCase() !== secret.name.toLowerCase()) return false;
      return valueAt(bytes, from, limit) !== NONE && end === limit;
    },
    end: () => end,
  };
}

const isWordCharacter = (character: number): boolean =>
  character < 0 || /\w/.test(String.fromCharCode(character));

/** After `=`, `:` or `>`, with the blanks and quotes around it. */
function afterSeparators(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  let isSeparated = false;
  for (let left = MAX_SEPARATORS; left > 0 && at < limit; left--) {
    const character = readCharacter(bytes, at, limit);
    const separator = character < 0 ? '' : String.fromCharCode(character);
    if (!/[=:>"'\s]/.test(separator)) break;
    isSeparated ||= /[=:>]/.test(separator);
    at = characterEnd();
  }
  return isSeparated ? at : NONE;
}
