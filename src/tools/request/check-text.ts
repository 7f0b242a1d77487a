import { GatewayError } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';

/** Levels of percent-encoding that a path value may have. */
const MAX_DECODINGS = 5;

export function argumentError(property: string, message: string): GatewayError {
  const path = pointerTo('', property);
  return new GatewayError('invalid_arguments', `The argument "${property}" ${message}`, {
    details: { errors: [{ path, message }] },
  });
}

/**
 * What is wrong with a value for a path segment, if anything. It may have slashes, which are sent as %2F. Upstreams and the
 * proxies in front of them decode paths, some of them twice, so a value must not traverse the path in any decoded form.
 */
export function pathIssue(text: string): string | undefined {
  if (text === '') return 'must not be empty: it is part of the path.';
  let decoded = text;
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    if (decoded.split('/').some(isDotSegment)) return 'must not have "." or ".." as a segment.';
    if (decoded.includes('\\')) return 'must not contain "\\".';
    if (hasControl(decoded)) return 'must not contain control characters.';
    if (!/%[0-9a-f]{2}/i.test(decoded)) return textIssue(text);
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return `must not be percent-encoded more than ${MAX_DECODINGS} times.`;
}

/** Some servers ignore parameters of a segment: to them, `..;a` is `..`. */
const isDotSegment = (segment: string): boolean => /^\.{1,2}(?:;.*)?$/s.test(segment);

/** What is wrong with a header value (RFC 9110 section 5.5). Node sends Latin-1 and would corrupt anything else. */
export function headerIssue(text: string): string | undefined {
  if (hasControl(text)) return 'must not contain control characters: it is sent in a header.';
  return /[^\t\x20-\xff]/.test(text)
    ? 'must only contain Latin-1 characters: it is sent in a header.'
    : undefined;
}

export function cookieIssue(text: string): string | undefined {
  return hasControl(text)
    ? 'must not contain control characters: it is sent in a cookie.'
    : textIssue(text);
}

/** What is wrong with a string that is encoded as UTF-8. */
export function textIssue(text: string): string | undefined {
  return text.isWellFormed() ? undefined : NOT_WELL_FORMED;
}

export const NOT_WELL_FORMED = 'must be well-formed Unicode, but contains an unpaired surrogate.';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression detects control characters
const hasControl = (text: string): boolean => /[\x00-\x1f\x7f]/.test(text);
