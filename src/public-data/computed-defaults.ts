import { GatewayError } from '../platform/kernel/error.ts';
import type { ComputeDefault } from '../tools/model.ts';
import {
  type DefaultRule,
  earlierDays,
  earlierMonths,
  type GivenArguments,
  unpublished,
} from './default-rule.ts';
import { ECONOMY_DEFAULTS } from './economy-defaults.ts';
import {
  asClock,
  asDashedDate,
  asDate,
  asHour,
  asMinute,
  asMonth,
  asYear,
  DAY,
  daysBefore,
  HOUR,
  type KoreanTime,
  koreanTime,
  MINUTE,
  monthsBefore,
  readClock,
  readDigits,
  startOfDay,
  unixTime,
} from './korean-time.ts';

/** The first and the last argument of each range of days whose ends have computed defaults. */
const DAY_RANGES = [
  ['startDt', 'endDt'],
  ['fromTmFc', 'toTmFc'],
  ['stdate', 'eddate'],
  ['startYmd', 'endYmd'],
  ['bgn_de', 'end_de'],
  ['beginBasDt', 'endBasDt'],
  ['eventStartDate', 'eventEndDate'],
] as const;

/** The ends of the other ranges, whose rules read their forms themselves. */
const OTHER_RANGES = ['strtYymm', 'endYymm', 'start_time', 'end_time', 'inqryBgnDt', 'inqryEndDt'];

const RANGE_ENDS: ReadonlySet<string> = new Set([...DAY_RANGES.flat(), ...OTHER_RANGES]);

/** The arguments without the ends of ranges. */
const withoutRanges = (args: GivenArguments): GivenArguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !RANGE_ENDS.has(name)));

/** One end of a range of days, as the caller gave it. */
interface GivenDay {
  readonly name: string;
  readonly text: string;
  readonly time: KoreanTime;
}

function givenDay(args: GivenArguments, end: 0 | 1): GivenDay | undefined {
  for (const range of DAY_RANGES) {
    const name = range[end];
    const text = String(args[name] ?? '');
    const time = readDigits(text.replaceAll('-', ''));
    if (time !== undefined) return { name, text, time };
  }
  return undefined;
}

/** How one end of a range follows from the other. */
interface RangeFit {
  /** Days from the first day to the given last one. */
  readonly spanDays: number;
  /** The last day for the given first one, if it is not the latest available. */
  readonly lastDay?: (start: KoreanTime) => KoreanTime;
  readonly print: (time: KoreanTime) => string;
}

/**
 * A day that may be one end of a range: it fits the other end if the caller gave that. A first day is never after the
 * last; a last day is the latest available, or the first day if that is later. Throws `invalid_arguments` for a first
 * day that is after `now`, unless the range may lie ahead.
 */
function fittingDay(
  latest: (now: KoreanTime) => KoreanTime,
  { spanDays, lastDay, print }: RangeFit,
): DefaultRule['latest'] {
  return (now, args) => {
    const own = latest(now);
    const [start, end] = [givenDay(args, 0), givenDay(args, 1)];
    if (end && !start) return Math.min(own, daysBefore(end.time, spanDays));
    if (!start || end) return own;
    if (own > now) return lastDay?.(start.time) ?? own;
    if (start.time > now) throw unpublished(start.name, start.text, print(own));
    return lastDay?.(start.time) ?? Math.max(own, start.time);
  };
}

/** The day as far after the first one as the default is after today. */
const daysAfter =
  (days: number) =>
  (start: KoreanTime): KoreanTime =>
    start + days * DAY;

/** When a product is issued, counted from midnight in Korea, and how long it then takes to be published. */
interface Schedule {
  readonly every: number;
  readonly offset: number;
  readonly delay: number;
}

/** The schedules of the weather agency's products. The delays include a margin of 5 minutes (mid-term: 20). */
const NOWCAST: Schedule = { every: HOUR, offset: 0, delay: 15 * MINUTE };
const ULTRA_FORECAST: Schedule = { every: HOUR, offset: 30 * MINUTE, delay: 20 * MINUTE };
const VILLAGE_FORECAST: Schedule = { every: 3 * HOUR, offset: 2 * HOUR, delay: 15 * MINUTE };
const MID_FORECAST: Schedule = { every: 12 * HOUR, offset: 6 * HOUR, delay: 30 * MINUTE };
/** Its delay is not documented; a call steps back if the publication is not available yet. */
const LIVING_INDEX: Schedule = { every: 3 * HOUR, offset: 0, delay: 0 };

/** The latest publication that is certainly available; before a day's first one, the last one of the previous day. */
const latestOf = ({ every, offset, delay }: Schedule, now: KoreanTime): KoreanTime =>
  Math.floor((now - delay - offset) / every) * every + offset;

/** When the publication after the latest is certainly available. */
const nextOf = (schedule: Schedule, now: KoreanTime): KoreanTime =>
  latestOf(schedule, now) + schedule.every + schedule.delay;

const publishedOn = (schedule: Schedule, print: (time: KoreanTime) => string): DefaultRule => ({
  latest: (now) => latestOf(schedule, now),
  earlier: (time, steps) => time - steps * schedule.every,
  print,
  next: (now) => nextOf(schedule, now),
});

/** The date of an issue; of the latest one of its time of day if the caller gives that. */
const issueDate = (schedule: Schedule): DefaultRule => ({
  ...publishedOn(schedule, asDate),
  latest: (now, { base_time }) => {
    const clock = readClock(base_time);
    if (clock === undefined) return latestOf(schedule, now);
    const today = startOfDay(now) + clock;
    return today + schedule.delay <= now ? today : today - DAY;
  },
});

/** The time of an issue; of the latest one of its date if the caller gives that. */
const issueTime = (schedule: Schedule): DefaultRule => ({
  ...publishedOn(schedule, asClock),
  latest: (now, { base_date }) => {
    const latest = latestOf(schedule, now);
    const day = readDigits(base_date);
    if (day === undefined) return latest;
    if (day > latest) throw unpublished('base_date', base_date, asDate(latest));
    return Math.min(latest, latestOf({ ...schedule, delay: 0 }, day + DAY - 1));
  },
});

/** The date `delay` ago, for data that is available only some time after a day starts or ends. */
const dateDelayedBy = (delay: number): DefaultRule => ({
  latest: fittingDay((now) => now - delay, { spanDays: 0, print: asDate }),
  earlier: earlierDays(1),
  print: asDate,
  next: (now) => startOfDay(now - delay) + DAY + delay,
});

/** The schedule of the product that `ftype` of the version inquiry names. */
function scheduleOf(ftype: unknown): Schedule {
  if (ftype === 'ODAM') return NOWCAST;
  return ftype === 'VSRT' ? ULTRA_FORECAST : VILLAGE_FORECAST;
}

/** Publications of the weather agency. */
const WEATHER_DEFAULTS = {
  'kma-nowcast-date': issueDate(NOWCAST),
  'kma-nowcast-time': issueTime(NOWCAST),
  'kma-ultra-forecast-date': issueDate(ULTRA_FORECAST),
  'kma-ultra-forecast-time': issueTime(ULTRA_FORECAST),
  'kma-village-date': issueDate(VILLAGE_FORECAST),
  'kma-village-time': issueTime(VILLAGE_FORECAST),
  'kma-version-datetime': {
    latest: (now, { ftype }) => latestOf(scheduleOf(ftype), now),
    earlier: (time, steps, { ftype }) => time - steps * scheduleOf(ftype).every,
    print: asMinute,
    next: (now, { ftype }) => nextOf(scheduleOf(ftype), now),
  },
  'kma-mid-issue': publishedOn(MID_FORECAST, asMinute),
  // Yesterday's observations are complete from about 10:00.
  'kma-asos-day': dateDelayedBy(DAY + 10 * HOUR),
  'kma-living-index-time': publishedOn(LIVING_INDEX, asHour),
  'kma-radar-day': dateDelayedBy(15 * MINUTE),
} satisfies Readonly<Record<string, DefaultRule>>;

/** A day that may be either end of a range. */
const daysAgo = (
  days: number,
  { stepDays = 1, ...fit }: Partial<RangeFit> & { readonly stepDays?: number } = {},
): DefaultRule => {
  const { print = asDate, spanDays = 0 } = fit;
  return {
    latest: fittingDay((now) => daysBefore(now, days), { ...fit, print, spanDays }),
    earlier: earlierDays(stepDays),
    print,
  };
};

/** The first day of a range that ends with the given day or with the latest one. */
const firstDayAgo = (days: number, print = asDate): DefaultRule => ({
  ...daysAgo(days, { print, spanDays: days }),
  isStart: true,
});

/** Dates, months and years in Korean time. */
const CALENDAR_DEFAULTS = {
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

/** The names that `x-default` accepts (docs/contract.md#preset-definition-files), each with its rule. */
const RULES: Readonly<Record<string, DefaultRule>> = {
  ...CALENDAR_DEFAULTS,
  ...WEATHER_DEFAULTS,
  ...ECONOMY_DEFAULTS,
};

const computeBy =
  ({ latest, earlier, print }: DefaultRule): ComputeDefault =>
  ({ nowMs, args, stepsBack }) =>
    print(earlier(latest(koreanTime(nowMs), args), stepsBack, args), args);

/** When the next publication of what a default chooses the latest of is due; undefined without a schedule. */
export function nextPublication(
  name: string,
  nowMs: number,
  args: GivenArguments,
): number | undefined {
  const next = RULES[name]?.next;
  return next && unixTime(next(koreanTime(nowMs), args));
}

/** An argument with a computed default, as it is sent. */
interface AskedArgument {
  /** The name of the default. */
  readonly expression: string;
  readonly value: unknown;
}

/**
 * When more may be published of what a call asks for, in milliseconds since the epoch: the next publication or, without
 * a schedule, the next day in Korea. Undefined if its arguments do not reach beyond the latest publication.
 */
export function incompleteUntil(
  asked: readonly AskedArgument[],
  nowMs: number,
  args: GivenArguments,
): number | undefined {
  const circumstances = withoutRanges(args);
  const rules = asked.flatMap(({ expression }) => RULES[expression] ?? []);
  const published = rules.filter(({ isStart }) => !isStart);
  const latest = published.map((rule) => latestText(rule, nowMs, circumstances));
  if (!latest.includes(null) && !asked.some(({ value }) => isBeyond(value, latest)))
    return undefined;
  const now = koreanTime(nowMs);
  return Math.min(
    ...published.map(({ next }) => unixTime(next?.(now, args) ?? startOfDay(now) + DAY)),
  );
}

/** Null if nothing published fits the arguments. */
function latestText(rule: DefaultRule, nowMs: number, args: GivenArguments): string | null {
  try {
    return computeBy(rule)({ nowMs, args, stepsBack: 0 });
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}

/** Whether a value is after every latest one of its form. Dates and times of one form are in the order of their text. */
function isBeyond(value: unknown, latest: readonly (string | null)[]): boolean {
  if (typeof value !== 'string') return false;
  const comparable = latest.filter((text) => text?.length === value.length);
  return comparable.length > 0 && comparable.every((text) => text !== null && value > text);
}

/** The functions that compute the defaults, by the name that `x-default` gives. */
export const COMPUTED_DEFAULTS: ReadonlyMap<string, ComputeDefault> = new Map(
  Object.entries(RULES).map(([name, rule]) => [name, computeBy(rule)]),
);
