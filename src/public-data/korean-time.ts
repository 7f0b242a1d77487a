import { SEOUL_OFFSET_MS } from '../platform/kernel/time.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A timestamp in milliseconds, shifted so that the UTC fields of a Date show Korean wall time. */
export type KoreanTime = number;

/** Korea is at UTC+9 all year, so adding an offset is enough; Intl would cost microseconds per call. */
export const koreanTime = (nowMs: number): KoreanTime => nowMs + SEOUL_OFFSET_MS;

/** The timestamp of a Korean time, in milliseconds since the epoch. */
export const unixTime = (time: KoreanTime): number => time - SEOUL_OFFSET_MS;

/** Midnight at the start of a day. Months count from 1; values outside 1 to 12 fall into neighbouring years. */
const midnight = (year: number, month: number, day: number): KoreanTime =>
  Date.UTC(year, month - 1, day);

export const startOfDay = (time: KoreanTime): KoreanTime => time - (time % DAY);

const yearOf = (time: KoreanTime): number => new Date(time).getUTCFullYear();

/** 1 to 12. */
const monthOf = (time: KoreanTime): number => new Date(time).getUTCMonth() + 1;

/** 1 to 31. */
export const dayOfMonth = (time: KoreanTime): number => new Date(time).getUTCDate();

export const isWeekend = (time: KoreanTime): boolean => [0, 6].includes(new Date(time).getUTCDay());

export const daysBefore = (time: KoreanTime, days: number): KoreanTime => time - days * DAY;

/** The same day and wall time `months` earlier; if that month is too short, its last day. */
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

/** The start of the period that YYYYMM, YYYYMMDD or YYYYMMDDHHMM names; undefined for any other form. */
export function readDigits(value: unknown): KoreanTime | undefined {
  const match = DIGITS.exec(String(value));
  if (!match) return undefined;
  const [, year, month, day = 1, hour = 0, minute = 0] = match;
  const date = midnight(Number(year), Number(month), Number(day));
  return date + Number(hour) * HOUR + Number(minute) * MINUTE;
}

/** The time of day that HHMM names, counted from midnight; undefined for any other form. */
export function readClock(value: unknown): number | undefined {
  const match = /^([01]\d|2[0-3])([0-5]\d)$/.exec(String(value));
  return match ? Number(match[1]) * HOUR + Number(match[2]) * MINUTE : undefined;
}

/** One cycle of the Bank of Korea's statistics. */
interface Cycle {
  /** Formats a period as the cycle requires. */
  readonly print: (time: KoreanTime) => string;
  /** The default span from the first period to the last, in months. */
  readonly spanMonths: number;
}

const MONTHLY: Cycle = { print: asMonth, spanMonths: 12 };

const CYCLES: ReadonlyMap<unknown, Cycle> = new Map([
  ['D', { print: asDate, spanMonths: 1 }],
  ['SM', { print: (time) => `${asMonth(time)}S${dayOfMonth(time) < 16 ? 1 : 2}`, spanMonths: 12 }],
  ['M', MONTHLY],
  ['Q', { print: (time) => `${asYear(time)}Q${Math.ceil(monthOf(time) / 3)}`, spanMonths: 24 }],
  ['S', { print: (time) => `${asYear(time)}S${Math.ceil(monthOf(time) / 6)}`, spanMonths: 24 }],
  ['A', { print: asYear, spanMonths: 120 }],
]);

/** The cycle that an argument names; monthly for an unknown value, which the tool's schema rejects anyway. */
export const cycleOf = (value: unknown): Cycle => CYCLES.get(value) ?? MONTHLY;

const PERIOD = /^(\d{4})(?:Q([1-4])|S([12])|(\d\d)(?:S([12])|(\d\d))?)?$/;

/** The start of a period such as 2026, 2026S1, 2026Q1, 202601, 202601S1 or 20260105; undefined for any other form. */
export function readPeriod(value: unknown): KoreanTime | undefined {
  const match = PERIOD.exec(String(value));
  if (!match) return undefined;
  const [, year, quarter, half, month, halfMonth, day] = match;
  if (quarter) return midnight(Number(year), Number(quarter) * 3 - 2, 1);
  if (half) return midnight(Number(year), Number(half) * 6 - 5, 1);
  return midnight(Number(year), Number(month ?? 1), halfMonth === '2' ? 16 : Number(day ?? 1));
}
