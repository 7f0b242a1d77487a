import { type DefaultRule, earlierDays, earlierMonths, unpublished } from './default-rule.ts';
import {
  asDate,
  asMinute,
  asMonth,
  asYear,
  cycleOf,
  DAY,
  dayOfMonth,
  daysBefore,
  HOUR,
  isWeekend,
  type KoreanTime,
  MINUTE,
  monthsBefore,
  readDigits,
  readPeriod,
  startOfDay,
} from './korean-time.ts';

/** The same day, or the Friday before it if it is on a weekend. */
const weekdayUpTo = (time: KoreanTime): KoreanTime =>
  isWeekend(time) ? weekdayUpTo(time - DAY) : time;

const weekdaysBefore = (time: KoreanTime, steps: number): KoreanTime =>
  steps === 0 ? time : weekdaysBefore(weekdayUpTo(time - DAY), steps - 1);

/** 11:00 of the next weekday, or of this one before then. */
function nextExchangeDay(now: KoreanTime): KoreanTime {
  const at = startOfDay(now) + 11 * HOUR;
  const next = at > now ? at : at + DAY;
  return isWeekend(next) ? nextExchangeDay(startOfDay(next) + DAY) : next;
}

/** Customs publishes a month's figures by the 16th of the following month. */
const lastCustomsMonth = (now: KoreanTime): KoreanTime =>
  monthsBefore(now, dayOfMonth(now) < 16 ? 2 : 1);

/** No step back: unpublished periods are merely absent from the response, so an earlier range would contain no more. */
const noStepBack: DefaultRule['earlier'] = (time) => time;

/** Statistics and filings of Korean economic institutions. If the caller gives the end of a range, its start depends on it. */
export const ECONOMY_DEFAULTS = {
  // Annual reports are filed by the end of March.
  'fiscal-year-kst': {
    latest: (now) => monthsBefore(now, 15),
    earlier: earlierMonths(12),
    print: asYear,
  },
  'customs-first-month': {
    isStart: true,
    latest: (now, { endYymm }) => monthsBefore(readDigits(endYymm) ?? lastCustomsMonth(now), 11),
    earlier: earlierMonths(1),
    print: asMonth,
  },
  // One call may request at most 12 months.
  'customs-last-month': {
    latest: (now, { strtYymm }) => {
      const first = readDigits(strtYymm);
      const published = lastCustomsMonth(now);
      if (first === undefined) return published;
      if (first > published) throw unpublished('strtYymm', strtYymm, asMonth(published));
      return Math.min(published, monthsBefore(first, -11));
    },
    earlier: earlierMonths(1),
    print: asMonth,
  },
  // The bank publishes a weekday's rates at 11:00.
  'exchange-day': {
    latest: (now) => weekdayUpTo(now % DAY < 11 * HOUR ? now - DAY : now),
    earlier: weekdaysBefore,
    print: asDate,
    next: nextExchangeDay,
  },
  // The number of latest periods, for a request without a range of periods.
  'latest-one': { isStart: true, latest: (now) => now, earlier: noStepBack, print: () => '1' },
  'ecos-start': {
    isStart: true,
    latest: (now, { cycle, end_time }) =>
      monthsBefore(readPeriod(end_time) ?? now, cycleOf(cycle).spanMonths),
    earlier: noStepBack,
    print: (time, { cycle }) => cycleOf(cycle).print(time),
  },
  'ecos-end': {
    latest: (now, { cycle, start_time }) => {
      if ((readPeriod(start_time) ?? now) <= now) return now;
      throw unpublished('start_time', start_time, cycleOf(cycle).print(now));
    },
    earlier: noStepBack,
    print: (time, { cycle }) => cycleOf(cycle).print(time),
  },
  'dart-begin-date': {
    isStart: true,
    latest: (now, { corp_code, end_de }) => {
      const end = readDigits(end_de) ?? now;
      return (corp_code ?? '') === '' ? daysBefore(end, 7) : monthsBefore(end, 12);
    },
    earlier: earlierDays(1),
    print: asDate,
  },
  'procurement-begin': {
    isStart: true,
    latest: (now, { inqryEndDt }) => startOfDay(daysBefore(readDigits(inqryEndDt) ?? now, 7)),
    earlier: earlierDays(1),
    print: asMinute,
  },
  // A range may span at most one month.
  'procurement-end': {
    latest: (now, { inqryBgnDt }) => {
      const begin = readDigits(inqryBgnDt);
      if ((begin ?? now) > now) throw unpublished('inqryBgnDt', inqryBgnDt, asMinute(now));
      return begin === undefined ? now : Math.min(now, monthsBefore(begin, -1) - MINUTE);
    },
    earlier: earlierDays(1),
    print: asMinute,
  },
} satisfies Readonly<Record<string, DefaultRule>>;
