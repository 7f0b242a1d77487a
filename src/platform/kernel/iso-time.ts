let knownSecond = Number.NaN;
let upToSecond = '';

/**
 * A time in milliseconds since 1970 as ISO 8601 in UTC, such as `2026-11-22T01:30:00.000Z`. Formatting a date takes more
 * than a microsecond, which every response with new data would pay: the part up to the second is remembered.
 */
export function isoTime(timeMs: number): string {
  const whole = Math.trunc(timeMs);
  const second = Math.floor(whole / 1000);
  if (second !== knownSecond) {
    upToSecond = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    knownSecond = second;
  }
  const ms = whole - second * 1000;
  return `${upToSecond}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
}

export const isoTimeOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : isoTime(timeMs);
