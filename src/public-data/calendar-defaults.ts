import { type DefaultRule, earlierDays, earlierMonths } from './default-rule.ts';
import { daysAfter, fittingDay } from './given-range.ts';
import {
  asDashedDate,
  asDate,
  asMonth,
  asYear,
  daysBefore,
  type KoreanTime,
  monthsBefore,
} from './korean-time.ts';

interface DayOptions {
  readonly print?: (time: KoreanTime) => string;
  readonly stepDays?: number;
  readonly lastDay?: (start: KoreanTime) => KoreanTime;
}

/** A day that may be either end of a range. */
const daysAgo = (
  days: number,
  { print = asDate, stepDays = 1, lastDay }: DayOptions = {},
): DefaultRule => ({
  latest: fittingDay((now) => daysBefore(now, days), {
    spanDays: 0,
    print,
    ...(lastDay ? { lastDay } : {}),
  }),
  earlier: earlierDays(stepDays),
  print,
});

/** The first day of a range that ends with the given day or with the latest one. */
const firstDayAgo = (days: number, print = asDate): DefaultRule => ({
  ...daysAgo(days, { print }),
  latest: fittingDay((now) => daysBefore(now, days), { spanDays: days, print }),
  isStart: true,
});

/** Dates, months and years in Korean time. */
export const CALENDAR_DEFAULTS = {
  'today-kst': daysAgo(0),
  'yesterday-kst': daysAgo(1),
  'days-ago-2-kst': firstDayAgo(2),
  'days-ago-7-kst': firstDayAgo(7),
  'days-ago-14-kst': firstDayAgo(14),
  'days-ago-30-kst': firstDayAgo(30),
  // For statistics that are published weeks late, after an undocumented delay. A range is as short as it can be.
  'days-ago-45-kst': daysAgo(45, { stepDays: 15, lastDay: daysAfter(0) }),
  'days-ahead-30-kst': daysAgo(-30, { lastDay: daysAfter(30) }),
  'yesterday-kst-dashed': daysAgo(1, { print: asDashedDate }),
  'days-ago-30-kst-dashed': firstDayAgo(30, asDashedDate),
  'year-kst': { latest: (now) => now, earlier: earlierMonths(12), print: asYear },
  'last-month-kst': {
    latest: (now) => monthsBefore(now, 1),
    earlier: earlierMonths(1),
    print: asMonth,
  },
} satisfies Readonly<Record<string, DefaultRule>>;
