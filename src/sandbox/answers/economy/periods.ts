import { DAY, type KoreanTime } from '../../../public-data/korean-time.ts';
import { daysBetween, isWeekday, monthsBetween, printTime } from '../times.ts';

/** How often a statistic is published: year, half year, quarter, month, half month or day. */
export type Cycle = 'A' | 'S' | 'Q' | 'M' | 'SM' | 'D';

const MONTHS: Readonly<Record<Exclude<Cycle, 'SM' | 'D'>, number>> = { A: 12, S: 6, Q: 3, M: 1 };

const isCycle = (text: string): text is Cycle =>
  Object.hasOwn(MONTHS, text) || text === 'SM' || text === 'D';

/** The cycle with a letter; years are also known as Y. Monthly for any other. */
export const cycleNamed = (text: string): Cycle => {
  if (text === 'Y') return 'A';
  return isCycle(text) ? text : 'M';
};

/** The starts of the periods from the one with `from` to the one with `to`. */
export function periodsBetween(cycle: Cycle, from: KoreanTime, to: KoreanTime): KoreanTime[] {
  if (cycle === 'D') return daysBetween(from, to).filter(isWeekday);
  const months = cycle === 'SM' ? 1 : MONTHS[cycle];
  const first = new Date(from);
  const month = first.getUTCMonth() - (first.getUTCMonth() % months);
  const starts = monthsBetween(Date.UTC(first.getUTCFullYear(), month, 1), to, months);
  if (cycle !== 'SM') return starts;
  return starts
    .flatMap((start) => [start, start + 15 * DAY])
    .filter((start) => start >= from && start <= to);
}

/** The latest periods that have ended by `now`, the earliest first. */
export function latestPeriods(cycle: Cycle, count: number, now: KoreanTime): KoreanTime[] {
  const months = cycle === 'D' || cycle === 'SM' ? 1 : MONTHS[cycle];
  const from = now - (count + 2) * months * 31 * DAY;
  return periodsBetween(cycle, from, now - months * 28 * DAY).slice(-count);
}

/** A period such as 2026, 2026Q1 or 20260105. With `plain`, quarters and half years are two digits, as in 202601. */
export function printPeriod(cycle: Cycle, start: KoreanTime, plain = false): string {
  const month = new Date(start).getUTCMonth();
  const year = printTime(start, 'YYYY');
  const numbered = (letter: string, number: number): string =>
    plain ? `${year}0${number}` : `${year}${letter}${number}`;
  switch (cycle) {
    case 'A':
      return year;
    case 'S':
      return numbered('S', Math.floor(month / 6) + 1);
    case 'Q':
      return numbered('Q', Math.floor(month / 3) + 1);
    case 'SM':
      return `${printTime(start, 'YYYYMM')}S${new Date(start).getUTCDate() < 16 ? 1 : 2}`;
    case 'M':
      return printTime(start, 'YYYYMM');
    case 'D':
      return printTime(start, 'YYYYMMDD');
  }
}
