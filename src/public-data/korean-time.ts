export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A moment shifted so that the UTC fields of a Date show Korean wall time; in milliseconds. */
export type KoreanTime = number;

/** Korea keeps UTC+9 all year, so plain arithmetic will do; Intl costs microseconds a call. */
export const koreanTime = (nowMs: number): KoreanTime => nowMs + 9 * HOUR;

/** Midnight of a day. Months count from 1; those below or beyond a year's are its neighbours'. */
export const midnight = (year: number, month: number, day: number): KoreanTime =>
  Date.UTC(year, month - 1, day);

export const startOfDay = (time: KoreanTime): KoreanTime => time - (time % DAY);

const yearOf = (time: KoreanTime): number => new Date(time).getUTCFullYear();

/** 1 to 12. */
export const monthOf = (time: KoreanTime): number => new Date(time).getUTCMonth() + 1;

/** 1 to 31. */
export const dayOfMonth = (time: KoreanTime): number => new Date(time).getUTCDate();

export const isWeekend = (time: KoreanTime): boolean => [0, 6].includes(new Date(time).getUTCDay());

export const daysBefore = (time: KoreanTime, days: number): KoreanTime => time - days * DAY;

/** The same day and wall time some months earlier; the last day of a month that is too short for it. */
export function monthsBefore(time: KoreanTime, months: number): KoreanTime {
  const [year, month] = [yearOf(time), monthOf(time) - months];
  const lastDay = dayOfMonth(midnight(year, month + 1, 0));
  return midnight(year, month, Math.min(dayOfMonth(time), lastDay)) + (time % DAY);
}

const digits = (time: KoreanTime): string => new Date(time).toISOString().replace(/\D/g, '');

/** YYYY */
export const asYear = (time: KoreanTime): string => digits(time).slice(0, 4);
/** YYYYMM */
export const asMonth = (time: KoreanTime): string => digits(time).slice(0, 6);
/** YYYYMMDD */
export const asDate = (time: KoreanTime): string => digits(time).slice(0, 8);
/** YYYY-MM-DD */
export const asDashedDate = (time: KoreanTime): string => new Date(time).toISOString().slice(0, 10);
/** HHMM */
export const asClock = (time: KoreanTime): string => digits(time).slice(8, 12);
/** YYYYMMDDHH */
export const asHour = (time: KoreanTime): string => digits(time).slice(0, 10);
/** YYYYMMDDHHMM */
export const asMinute = (time: KoreanTime): string => digits(time).slice(0, 12);

const DIGITS = /^(\d{4})(\d\d)(?:(\d\d)(?:(\d\d)(\d\d))?)?$/;

/** The beginning of what YYYYMM, YYYYMMDD or YYYYMMDDHHMM names; undefined for anything else. */
export function readDigits(value: unknown): KoreanTime | undefined {
  const match = DIGITS.exec(String(value));
  if (!match) return undefined;
  const [, year, month, day = 1, hour = 0, minute = 0] = match;
  const date = midnight(Number(year), Number(month), Number(day));
  return date + Number(hour) * HOUR + Number(minute) * MINUTE;
}
