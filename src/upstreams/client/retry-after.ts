/** The longest wait that is passed on, in seconds: a day. */
const MAX_SECONDS = 86_400;

/**
 * `Retry-After` in milliseconds from now (RFC 9110 section 10.2.3), also in decimals, which some upstreams send; undefined if
 * it is absent, infinite if it is invalid.
 */
export function retryAfterMs(header: string, nowMs: number): number | undefined {
  const text = header.trim();
  if (text === '') return undefined;
  if (/^\d+(?:\.\d*)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Other texts, such as `1,5`, would be read as years.
  const dateMs = /[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? Number.POSITIVE_INFINITY : Math.max(0, dateMs - nowMs);
}

/** The same in whole seconds, at most a day; undefined also if it is invalid. */
export function retryAfterSeconds(header: string, nowMs: number): number | undefined {
  const ms = retryAfterMs(header, nowMs);
  if (ms === undefined || ms === Number.POSITIVE_INFINITY) return undefined;
  return Math.min(MAX_SECONDS, Math.ceil(ms / 1000));
}
