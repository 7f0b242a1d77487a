import type { HiddenSecret } from '../../tools/tool-connection.ts';
import { type EscapedText, readCharacter } from './escaped-text.ts';
import { matchNeedle, NONE } from './match-needle.ts';
import { anyCaseNeedle, type Needle, textNeedle } from './secret-needle.ts';

/** Finds a short secret only where it is the whole value of its parameter or header. */
export interface ShortSecretFinder {
  /** Every spelling of the value, for a first search. */
  readonly values: readonly Needle[];
  /** The start of the value in `name=value`, `/value/` or `Bearer value` that starts at `at`, or `NONE`. */
  findAt(text: EscapedText, at: number): number;
  /** Whether the text from `from` is the whole value of a member of this name. */
  isMember(name: string, text: EscapedText, from: number): boolean;
  /** The end of the latest match. */
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

  /** Whether the value starts at `at` and is followed by a separator or the end of the text. */
  function isValue(text: EscapedText, at: number): boolean {
    for (const needle of values) {
      end = matchNeedle(needle, text, at);
      if (end !== NONE && (end >= text.limit || !isWordCharacter(readCharacter(text, end)))) {
        return true;
      }
    }
    return false;
  }

  /** The start of the value: `at`, or the end of a prefix that starts there; `NONE` if neither matches. */
  function valueAt(text: EscapedText, at: number): number {
    if (isValue(text, at)) return at;
    return afterPrefix(text, at);
  }

  function afterPrefix(text: EscapedText, at: number): number {
    const start = prefix === null ? NONE : matchNeedle(prefix, text, at);
    return start !== NONE && isValue(text, start) ? start : NONE;
  }

  function afterName(text: EscapedText, at: number): number {
    const nameEnd = matchNeedle(name, text, at);
    const start = nameEnd === NONE ? NONE : afterSeparators(text, nameEnd);
    return start === NONE ? NONE : valueAt(text, start);
  }

  function afterSlash(text: EscapedText, at: number): number {
    if (secret.in !== 'path' || readCharacter(text, at) !== 0x2f) return NONE;
    const start = text.end;
    return isValue(text, start) ? start : NONE;
  }

  return {
    values,
    findAt(text, at) {
      const named = afterName(text, at);
      if (named !== NONE) return named;
      const prefixed = afterPrefix(text, at);
      return prefixed === NONE ? afterSlash(text, at) : prefixed;
    },
    isMember(member, text, from) {
      if (member.toLowerCase() !== secret.name.toLowerCase()) return false;
      return valueAt(text, from) !== NONE && end === text.limit;
    },
    end: () => end,
  };
}

const isWordCharacter = (character: number): boolean =>
  character < 0 || /\w/.test(String.fromCharCode(character));

/** The end of an `=`, `:` or `>` with the blanks and quotes around it; `NONE` without such a separator. */
function afterSeparators(text: EscapedText, from: number): number {
  let at = from;
  let isSeparated = false;
  for (let left = MAX_SEPARATORS; left > 0 && at < text.limit; left--) {
    const character = readCharacter(text, at);
    const separator = character < 0 ? '' : String.fromCharCode(character);
    if (!/[=:>"'\s]/.test(separator)) break;
    isSeparated ||= /[=:>]/.test(separator);
    at = text.end;
  }
  return isSeparated ? at : NONE;
}
