import { GatewayError } from '../../platform/kernel/error.ts';
import { pointerTo } from '../plain-json.ts';

/** Rounds of percent-decoding that a path value is looked at through; nobody means more. */
const MAX_DECODINGS = 5;

/** The caller's fault with one argument. */
export function argumentError(property: string, message: string): GatewayError {
  const path = pointerTo('', property);
  return new GatewayError('invalid_arguments', `The argument "${property}" ${message}`, {
    details: { errors: [{ path, message }] },
  });
}

/**
 * What is wrong with a value for a path segment. Upstreams and the proxies before them decode paths, some twice, so
 * a value must not turn into a step through the path in any decoded form either.
 */
export function pathFault(text: string): string | undefined {
  if (text === '') return 'must not be empty: it is a part of the path.';
  let decoded = text;
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    if (/^\.{1,2}$/.test(decoded)) return 'must not be "." or "..".';
    if (/[/\\]/.test(decoded)) return 'must not contain "/" or "\\".';
    if (hasControl(decoded)) return 'must not contain control characters.';
    if (!/%[0-9a-f]{2}/i.test(decoded)) return textFault(text);
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return 'must not be percent-encoded over and over.';
}

/** What is wrong with a value for a header (RFC 9110 section 5.5): Node sends Latin-1, so anything else would be mangled. */
export function headerFault(text: string): string | undefined {
  if (hasControl(text)) return 'must not contain control characters: it is sent in a header.';
  return /[^\t\x20-\xff]/.test(text)
    ? 'must only contain Latin-1 characters: it is sent in a header.'
    : undefined;
}

export function cookieFault(text: string): string | undefined {
  return hasControl(text)
    ? 'must not contain control characters: it is sent in a cookie.'
    : textFault(text);
}

/** What is wrong with any text that is to be encoded as UTF-8. */
export function textFault(text: string): string | undefined {
  return text.isWellFormed() ? undefined : 'must be well-formed text (it has half a character).';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const hasControl = (text: string): boolean => /[\x00-\x1f\x7f]/.test(text);
