import { type DefaultRule, earlierDays } from './default-rule.ts';
import { fittingDay } from './given-range.ts';
import {
  asClock,
  asDate,
  asHour,
  asMinute,
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
  readClock,
  readDigits,
  startOfDay,
} from './korean-time.ts';
import { unpublished } from './unpublished.ts';

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
export const WEATHER_DEFAULTS = {
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
