import { setOfWords } from './guards.ts';

/** Headers that HTTP itself or the HTTP client controls (RFC 9110, RFC 9112). */
const RESERVED_HEADERS = setOfWords(
  'host content-length connection keep-alive transfer-encoding cookie te trailer upgrade expect',
);

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_HEADERS.has(lower) || lower.startsWith('proxy-');
}

/** Is this a token (RFC 9110 section 5.6.2), as the names of headers and cookies must be? */
export function isHttpToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** Is this a media type with optional parameters that is safe in a header? */
export function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;[\t\x20-\x7e]*)?$/.test(text);
}
