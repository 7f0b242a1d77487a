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
  /** A period in the form that the cycle demands. */
  readonly print: (time: KoreanTime) => string;
  /** From the first period to the last when nobody says, in months. */
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

/** The cycle of an argument; monthly for any other value, which the tool's schema refuses. */
export const cycleOf = (value: unknown): Cycle => CYCLES.get(value) ?? MONTHLY;

const PERIOD = /^(\d{4})(?:Q([1-4])|S([12])|(\d\d)(?:S([12])|(\d\d))?)?$/;

/** The beginning of 2026, 2026S1, 2026Q1, 202601, 202601S1 or 20260105; undefined for anything else. */
export function readPeriod(value: unknown): KoreanTime | undefined {
  const match = PERIOD.exec(String(value));
  if (!match) return undefined;
  const [, year, quarter, half, month, halfMonth, day] = match;
  if (quarter) return midnight(Number(year), Number(quarter) * 3 - 2, 1);
  if (half) return midnight(Number(year), Number(half) * 6 - 5, 1);
  return midnight(Number(year), Number(month ?? 1), halfMonth === '2' ? 16 : Number(day ?? 1));
}
