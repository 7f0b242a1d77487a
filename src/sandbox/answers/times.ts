import { DAY, type KoreanTime, monthsBefore, startOfDay } from '../../public-data/korean-time.ts';

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
  const parts = {
    YYYY: [0, 4],
    MM: [4, 6],
    DD: [6, 8],
    HH: [8, 10],
    mm: [10, 12],
    ss: [12, 14],
    YY: [2, 4],
  };
  return Object.entries(parts).reduce(
    (text, [letters, [from, to]]) => text.replace(letters, digits.slice(from, to)),
    format,
  );
}

/** The start of the period that the digits of a text name, from YYYY to YYYYMMDDHHmmss; undefined for any other text. */
export function readTime(text: string): KoreanTime | undefined {
  const digits = text.replace(/\D/g, '');
  if (![4, 6, 8, 10, 12, 14].includes(digits.length)) return undefined;
  const [year, month, day, hour, minute, second] = [
    digits.slice(0, 4),
    digits.slice(4, 6) || '01',
    digits.slice(6, 8) || '01',
    digits.slice(8, 10) || '00',
    digits.slice(10, 12) || '00',
    digits.slice(12, 14) || '00',
  ].map(Number);
  const time = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  // A month or a day beyond its range would fall into the next one.
  return digitsOf(time).startsWith(digits) ? time : undefined;
}

/** 0 (Sunday) to 6. */
export const weekdayOf = (time: KoreanTime): number => new Date(time).getUTCDay();

export const isWeekday = (time: KoreanTime): boolean => ![0, 6].includes(weekdayOf(time));

/** 1 to 366. */
export const dayOfYear = (time: KoreanTime): number =>
  Math.floor((time - Date.UTC(new Date(time).getUTCFullYear(), 0, 1)) / DAY) + 1;

/** Hours since midnight, with a fraction. */
export const hourOf = (time: KoreanTime): number => (time - startOfDay(time)) / 3_600_000;
