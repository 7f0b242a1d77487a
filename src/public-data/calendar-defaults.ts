import { type DefaultRule, earlierDays, earlierMonths } from './default-rule.ts';
import {
  asDashedDate,
  asDate,
  asMonth,
  asYear,
  daysBefore,
  type KoreanTime,
  monthsBefore,
} from './korean-time.ts';

const daysAgo = (
  days: number,
  print: (time: KoreanTime) => string = asDate,
  stepDays = 1,
): DefaultRule => ({
  latest: (now) => daysBefore(now, days),
  earlier: earlierDays(stepDays),
  print,
});

/** Dates, months and years in Korean time. */
export const CALENDAR_DEFAULTS = {
  'today-kst': daysAgo(0),
  'yesterday-kst': daysAgo(1),
  'days-ago-2-kst': daysAgo(2),
  'days-ago-7-kst': daysAgo(7),
  'days-ago-14-kst': daysAgo(14),
  'days-ago-30-kst': daysAgo(30),
  // For statistics that are published weeks late, after an undocumented delay.
  'days-ago-45-kst': daysAgo(45, asDate, 15),
  'days-ahead-30-kst': daysAgo(-30),
  'yesterday-kst-dashed': daysAgo(1, asDashedDate),
  'days-ago-30-kst-dashed': daysAgo(30, asDashedDate),
  'year-kst': { latest: (now) => now, earlier: earlierMonths(12), print: asYear },
  'last-month-kst': {
    latest: (now) => monthsBefore(now, 1),
    earlier: earlierMonths(1),
    print: asMonth,
  },
} satisfies Readonly<Record<string, DefaultRule>>;
