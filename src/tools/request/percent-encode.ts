/** Encodes all but unreserved characters (RFC 3986 section 2.3) as UTF-8. The string must be well-formed. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

/**
 * The same, except for the reserved characters that cannot change the structure of a query: OpenAPI's
 * `allowReserved` without `#`, `[`, `]`, `&`, `=` and `+`. `%` is always encoded, so that the value arrives unchanged.
 */
export function percentEncodeReserved(text: string): string {
  // The apostrophe is encoded too, because URL parsers encode it in queries.
  return encodeURIComponent(text)
    .replaceAll("'", '%27')
    .replace(/%(?:3A|2F|3F|40|24|2C|3B)/g, decodeURIComponent);
}

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
