/** Everything but unreserved characters (RFC 3986 section 2.3), as UTF-8. The text must be well-formed. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

/**
 * The same, but with those reserved characters left that cannot change the structure of a query: OpenAPI's
 * `allowReserved` without `#`, `[`, `]`, `&`, `=` and `+`. A `%` is always encoded, so that what was given arrives.
 */
export function percentEncodeReserved(text: string): string {
  // The apostrophe is left out too: URL parsers encode it in queries.
  return encodeURIComponent(text)
    .replaceAll("'", '%27')
    .replace(/%(?:3A|2F|3F|40|24|2C|3B)/g, decodeURIComponent);
}

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
