import {
  cycleOf,
  DAY,
  HOUR,
  isWeekend,
  type KoreanTime,
  MINUTE,
  monthsBefore,
  readPeriod,
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

const digitsOf = (time: KoreanTime): string => new Date(time).toISOString().replace(/\D/g, '');

/** A time in a format such as `YYYY-MM-DD HH:mm`; the letters stand for digits, everything else for itself. */
export function printTime(time: KoreanTime, format: string): string {
  const digits = digitsOf(time);
  return format.replace(/YYYY|MM|DD|HH|mm|ss/g, (letters) => {
    const from = 'YYYYMMDDHHmmss'.indexOf(letters);
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

/** 1 to 366. */
export const dayOfYear = (time: KoreanTime): number =>
  Math.floor((time - Date.UTC(new Date(time).getUTCFullYear(), 0, 1)) / DAY) + 1;

/** Hours since midnight, with a fraction. */
export const hourOf = (time: KoreanTime): number => (time - startOfDay(time)) / HOUR;

/** How often rows follow each other: a cycle of statistics, with B for weekdays and W for Mondays, or milliseconds. */
export type Step = string | number;

const MONTHS: Readonly<Record<string, number>> = { A: 12, Y: 12, S: 6, H: 6, Q: 3, SM: 1, M: 1 };

const monthsOf = (step: Step): number | undefined =>
  typeof step === 'string' && Object.hasOwn(MONTHS, step) ? MONTHS[step] : undefined;

/** The start of the next period, at the earliest. */
function endOf(step: Step, start: KoreanTime): KoreanTime {
  if (typeof step === 'number') return start;
  if (step === 'SM') return start + 15 * DAY;
  const months = monthsOf(step);
  return months === undefined ? start + DAY : monthsBefore(start, -months);
}

/** The starts of the periods from `from` to `to`, both included. */
export function startsBetween(step: Step, from: KoreanTime, to: KoreanTime): KoreanTime[] {
  if (typeof step === 'number') return timesBetween(Math.ceil(from / step) * step, to, step);
  const months = monthsOf(step);
  if (months === undefined) {
    const isPeriod = (day: KoreanTime): boolean =>
      step === 'W' ? new Date(day).getUTCDay() === 1 : step !== 'B' || !isWeekend(day);
    return daysBetween(from, to).filter(isPeriod);
  }
  const first = new Date(from);
  const starts: KoreanTime[] = [];
  let at = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - (first.getUTCMonth() % months));
  for (; at <= to && starts.length < MAX_TIMES; at = monthsBefore(at, -months)) {
    starts.push(...(step === 'SM' ? [at, at + 15 * DAY] : [at]));
  }
  return starts.filter((start) => step !== 'SM' || (start >= from && start <= to));
}

/** The latest periods, the earliest first: those that have ended, or begun. */
export function latestStarts(step: Step, count: number, now: KoreanTime, isBegun = false) {
  const months = monthsOf(step);
  const length = typeof step === 'number' ? step : months ? months * 31 * DAY : 7 * DAY;
  const starts = startsBetween(step, now - (count + 2) * length, now);
  return (isBegun ? starts : endedStarts(step, starts, now)).slice(-count);
}

/** Those of the periods that have ended. */
export const endedStarts = (step: Step, starts: readonly KoreanTime[], now: KoreanTime) =>
  starts.filter((start) => endOf(step, start) <= now);

/** The period that a parameter names, from its first to its last millisecond; quarters and halves may be two digits. */
export function readSpan(text: string, step: Step) {
  const isShort = /^\d{6}$/.test(text) && (step === 'Q' || step === 'S' || step === 'H');
  const period = isShort ? `${text.slice(0, 4)}${step === 'Q' ? 'Q' : 'S'}${text.slice(5)}` : text;
  const from = readPeriod(period) ?? readTime(period);
  if (from === undefined) return undefined;
  if (/[QS]/.test(period))
    return { from, to: monthsBefore(from, period.includes('Q') ? -3 : -6) - 1 };
  const length = text.replace(/\D/g, '').length;
  if (length <= 6) return { from, to: endOf(length === 4 ? 'Y' : 'M', from) - 1 };
  return { from, to: from + ({ 8: DAY, 10: HOUR }[length] ?? MINUTE) - 1 };
}

const formatOf = (text: string): string => {
  let at = 0;
  return text.replace(/\d/g, () => 'YYYYMMDDHHmmss'[at++] ?? '');
};

/** The cycles of the Bank of Korea that print the periods of others. */
const CYCLES: Readonly<Record<string, string>> = { Y: 'A', H: 'S', B: 'D', W: 'D' };

const A_TIME = /\d{4}[-.]?\d\d[-.]?\d\d(?: ?\d\d:?\d\d(?::?\d\d)?)?/g;

/**
 * The times in a text moved: the first of a row to the period of `step` that begins at `time`, and all others as far. Years
 * move by years.
 */
export function timeMover(anchor: string, time: KoreanTime, step: Step) {
  const [first = anchor] = anchor.replace(' 24:', ' 00:').match(A_TIME) ?? [];
  const old = readTime(first) ?? time;
  const years = new Date(time).getUTCFullYear() - new Date(old).getUTCFullYear();
  // A row of a day keeps its time of the day.
  const by = (typeof step === 'number' ? time : startOfDay(time) + (old % DAY)) - old;
  const others = (text: string): string =>
    step === 'Y' || step === 'A'
      ? text.replace(/(?<!\d)(?:19|20)\d\d/g, (year) => String(Number(year) + years))
      : text.replace(A_TIME, (found) => {
          const read = readTime(found.replace(' 24:', ' 00:'));
          return read === undefined ? found : printTime(read + by, formatOf(found));
        });
  const isCycle = typeof step === 'string' && /^\d{0,8}$/.test(anchor);
  const moved = step === 'M' ? printTime(time, formatOf(anchor)) : others(anchor);
  return { anchor: isCycle ? cycleOf(CYCLES[step] ?? step).print(time) : moved, others };
}
