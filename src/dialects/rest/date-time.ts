import { GatewayError } from '../../platform/kernel/error.ts';

/** Second 60 with its fraction, before the offset. */
const LEAP_SECOND = /:60(?:\.\d+)?(?=[Zz+-])/;
/** An offset in hours only, which the schema's `date-time` accepts and `Date.parse` does not. */
const HOUR_OFFSET = /[+-]\d\d$/;

/**
 * Parses a date-time (RFC 3339) of the query parameter `name`, in milliseconds since the epoch. A leap second counts as
 * the start of the next second. Throws `invalid_request`.
 */
export function parseDateTime(name: string, text: string): number {
  const withoutLeap = text.replace(LEAP_SECOND, ':59').replace(HOUR_OFFSET, '$&:00');
  const ms = Date.parse(withoutLeap);
  if (Number.isNaN(ms)) {
    throw new GatewayError(
      'invalid_request',
      `"${name}" is not a date-time. Use a form such as 2026-11-21T09:00:00Z.`,
    );
  }
  return LEAP_SECOND.test(text) ? ms + 1000 : ms;
}
