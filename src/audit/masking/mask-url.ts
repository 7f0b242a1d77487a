import { labelOfNumber } from './label-of-number.ts';
import { maskText } from './mask-text.ts';
import { meaningOf, type NameMeaning } from './property-names.ts';

/** What stands in an address for a credential of the gateway (docs/contract.md#call-result). */
const REDACTED = 'REDACTED';

const MAX_CHARACTERS = 8192;
const TRUNCATED = '[truncated]';

/**
 * An upstream's address as the audit record keeps it: arguments stand in path and query as well. Beyond 8 Ki characters
 * whole arguments are left out, since half a secret would not be recognised, and `[truncated]` stands for them.
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

/** The encoded text as it is, unless masking changes what it means. */
function masked(encoded: string, meaning: NameMeaning = 'plain'): string {
  const plain = decode(encoded);
  const result = maskText(plain, meaning).replace(
    LONG_NUMBER,
    (digits) => labelOfNumber(Number(digits), meaning) ?? digits,
  );
  return result === plain ? encoded : result;
}

/** An address does not tell which of its arguments were numbers. */
const LONG_NUMBER = /(?<![\d.])[1-9]\d{9,20}(?![\d.])/g;

function decode(encoded: string): string {
  if (!/[%+]/.test(encoded)) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}
