import { headerText, type ResponseHeaders } from '../platform/kernel/http-names.ts';

/** Directives with which a cache that several callers share stores nothing, or would have to ask each time (RFC 9111 section 5.2.2). */
const NOT_REUSED = /(?:^|,)\s*(?:no-store|no-cache|private)\s*(?:[=,]|$)/i;

/** How long an upstream lets its response be reused, in seconds; undefined if it does not say. */
export function allowedSeconds(headers: ResponseHeaders): number | undefined {
  const given = headers['cache-control'];
  if (given === undefined) return undefined;
  const directives = typeof given === 'string' ? given : given.join(',');
  if (NOT_REUSED.test(directives)) return 0;
  const age = secondsOf(directives, 's-maxage') ?? secondsOf(directives, 'max-age');
  if (age === undefined) return undefined;
  return Math.max(0, age - (Number(headerText(headers, 'age')) || 0));
}

function secondsOf(directives: string, name: string): number | undefined {
  const [, digits] =
    new RegExp(`(?:^|,)\\s*${name}\\s*=\\s*"?(\\d{1,15})`, 'i').exec(directives) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
