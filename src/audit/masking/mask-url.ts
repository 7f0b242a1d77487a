import { labelOfNumber } from './mask-numbers.ts';
import { maskText } from './mask-text.ts';
import { meaningOf, type NameMeaning } from './property-names.ts';

/** Replaces a credential of the gateway in an address (docs/contract.md#call-result). */
const REDACTED = 'REDACTED';

const MAX_CHARACTERS = 8192;
const TRUNCATED = '[truncated]';

/**
 * The address of an upstream request for the audit record: its path and query contain arguments too. Beyond 8 Ki
 * characters, whole arguments are replaced by `[truncated]`, because half a secret would not be recognised.
 */
export function maskUrl(url: string): string {
  return url.length > MAX_CHARACTERS ? maskUrl(shorten(url)) : maskWhole(url);
}

function shorten(url: string): string {
  const end = url.slice(0, MAX_CHARACTERS - TRUNCATED.length).search(/[&?/][^&?/]*$/);
  return `${url.slice(0, end + 1)}${TRUNCATED}`;
}

function maskWhole(url: string): string {
  const queryAt = url.indexOf('?');
  if (queryAt < 0) return maskPath(url);
  const pairs = url.slice(queryAt + 1).split('&');
  return `${maskPath(url.slice(0, queryAt))}?${pairs.map(maskPair).join('&')}`;
}

const maskPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => masked(segment))
    .join('/');

function maskPair(pair: string): string {
  const equalsAt = pair.indexOf('=');
  if (equalsAt < 0) return masked(pair);
  const [name, value] = [pair.slice(0, equalsAt), pair.slice(equalsAt + 1)];
  const plainName = decode(name);
  const meaning = meaningOf(plainName);
  if (meaning === 'secret' || meaning === 'personal') {
    return value === REDACTED || value === '' ? pair : `${name}=[masked:${meaning}]`;
  }
  return `${masked(name)}=${masked(value, meaning)}`;
}

/** Returns the encoded text unchanged unless its decoded form needs masking. */
function masked(encoded: string, meaning: NameMeaning = 'plain'): string {
  const plain = decode(encoded);
  const result = maskText(plain, meaning).replace(
    LONG_NUMBER,
    (digits) => labelOfNumber(Number(digits), meaning) ?? digits,
  );
  return result === plain ? encoded : result;
}

/** May have been a number as an argument; an address does not distinguish numbers from strings. */
const LONG_NUMBER = /(?<![\d.])[1-9]\d{9,20}(?![\d.])/g;

function decode(encoded: string): string {
  if (!/[%+]/.test(encoded)) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}
