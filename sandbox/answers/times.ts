import {
  DAY,
  isWeekend,
  type KoreanTime,
  monthsBefore,
  startOfDay,
} from '../../src/public-data/korean-time.ts';

/** Times that one question may span; the rest of a longer span is left out. */
const MAX_TIMES = 40_000;

/** The times from `from` to `to`, both included, `step` milliseconds apart. */
export function timesBetween(from: KoreanTime, to: KoreanTime, step: number): KoreanTime[] {
  const count = Math.floor((to - from) / step) + 1;
  return Array.from(
    { length: Math.max(0, Math.min(count, MAX_TIMES)) },
    (_, index) => from + index * step,
  );
}

export const daysBetween = (from: KoreanTime, to: KoreanTime): KoreanTime[] =>
  timesBetween(startOfDay(from), startOfDay(to), DAY);

/** The starts of the periods of `months` months from `from` to `to`, both included. */
export function monthsBetween(from: KoreanTime, to: KoreanTime, months = 1): KoreanTime[] {
  const starts: KoreanTime[] = [];
  for (let at = from; at <= to && starts.length < MAX_TIMES; at = monthsBefore(at, -months))
    starts.push(at);
  return starts;
}

const digitsOf = (time: KoreanTime): string => new Date(time).toISOString().replace(/\D/g, '');

/** A time in a format such as `YYYY-MM-DD HH:mm`; the letters stand for digits, everything else for itself. */
export function printTime(time: KoreanTime, format: string): string {
  const digits = digitsOf(time);
  return format.replace(/YYYY|YY|MM|DD|HH|mm|ss/g, (letters) => {
    const from = letters === 'YY' ? 2 : 'YYYYMMDDHHmmss'.indexOf(letters);
    return digits.slice(from, from + letters.length);
  });
}

/** The start of the period that the digits of a text name, from YYYY to YYYYMMDDHHmmss; undefined for any other text. */
export function readTime(text: string): KoreanTime | undefined {
  const digits = text.replace(/\D/g, '');
  if (![4, 6, 8, 10, 12, 14].includes(digits.length) || digits.startsWith('00')) return undefined;
  const full = digits + '00000101000000'.slice(digits.length);
  const time = Date.parse(full.replace(/(.{4})(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'));
  // A day beyond its month would fall into the next one.
  return !Number.isNaN(time) && digitsOf(time).startsWith(digits) ? time : undefined;
}

/** 0 (Sunday) to 6. */
export const weekdayOf = (time: KoreanTime): number => new Date(time).getUTCDay();

export const isWeekday = (time: KoreanTime): boolean => !isWeekend(time);

/** 1 to 366. */
export const dayOfYear = (time: KoreanTime): number =>
  Math.floor((time - Date.UTC(new Date(time).getUTCFullYear(), 0, 1)) / DAY) + 1;

/** Hours since midnight, with a fraction. */
export const hourOf = (time: KoreanTime): number => (time - startOfDay(time)) / 3_600_000;
