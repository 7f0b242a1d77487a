/** Headers that HTTP itself, or the client that sends the request, is in charge of (RFC 9110, RFC 9112). */
const RESERVED_HEADERS = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'cookie',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_HEADERS.has(lower) || lower.startsWith('proxy-');
}

/** A token as in RFC 9110 section 5.6.2: what header and cookie names are made of. */
export function isHttpToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** A media type with optional parameters, safe to stand in a header. */
export function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;[\t\x20-\x7e]*)?$/.test(text);
}
