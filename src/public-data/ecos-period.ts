import {
  asDate,
  asMonth,
  asYear,
  dayOfMonth,
  type KoreanTime,
  midnight,
  monthOf,
} from './korean-time.ts';

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
