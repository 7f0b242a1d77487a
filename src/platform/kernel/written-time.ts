const WRITTEN =
  /^(\d{4})(?:[-./]?(\d\d)(?:[-./]?(\d\d)(?:[T ]?(\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.\d+)?)?)?)?)?)?\s?(Z|[+-]\d\d:?\d\d)?$/;
const PERIOD = /^\d{4}(?:-?[QS]\d|-?W\d\d)$/;
const MAX_LENGTH = 40;

/**
 * A time as institutions write it (`2026`, `202611`, `20261122`, `202611220500`, `2026.11.22 05:00`), in ISO 8601 and no
 * more precise than it was: `2026-11-22T05:00+09:00`. A time of day without an offset of its own gets the given one.
 * Hour 24 is hour 0 of the next day. Quarters, halves and weeks (`2026Q1`) stay as they are. Null for any other text.
 */
export function isoTimeOf(text: string, offset: string | null): string | null {
  const written = text.length <= MAX_LENGTH ? withoutHour24(text.trim()) : '';
  if (PERIOD.test(written)) return written;
  const [, year, month, day, hour, minute, second, zone] = WRITTEN.exec(written) ?? [];
  if (!year || !isWithin(month, 12) || !isWithin(day, 31)) return null;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 60) return null;
  const date = [year, month, day].filter(Boolean).join('-');
  if (hour === undefined) return date;
  const seconds = second === undefined ? '' : `:${second}`;
  return `${date}T${hour}:${minute ?? '00'}${seconds}${zone ?? offset ?? ''}`;
}

const isWithin = (part: string | undefined, max: number): boolean =>
  part === undefined || (Number(part) >= 1 && Number(part) <= max);

const HOUR_24 =
  /^((?:19|20)\d\d)([-./]?)(\d\d)\2(\d\d)([T ]?)24((?::?00){0,2}(?:\.0+)?(?:Z|[+-]\d\d:?\d\d)?)$/;

/** A written time of hour 24 as hour 0 of the next day, in the same form; any other text as it is. */
export function withoutHour24(text: string): string {
  const [, year, mark = '', month, day, between = '', rest = ''] = HOUR_24.exec(text) ?? [];
  if (year === undefined) return text;
  const next = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (next.getUTCMonth() !== Number(month) - 1) return text;
  next.setUTCDate(next.getUTCDate() + 1);
  const date = next.toISOString().slice(0, 'YYYY-MM-DD'.length).replaceAll('-', mark);
  return `${date}${between}00${rest}`;
}
