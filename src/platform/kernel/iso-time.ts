/** A time in milliseconds since 1970 as ISO 8601 in UTC, such as `2026-11-22T01:30:00.000Z`. */
export const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();

export const isoTimeOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : isoTime(timeMs);
