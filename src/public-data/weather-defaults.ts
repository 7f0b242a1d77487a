import { type DefaultRule, earlierDays } from './default-rule.ts';
import {
  asClock,
  asDate,
  asHour,
  asMinute,
  DAY,
  HOUR,
  type KoreanTime,
  MINUTE,
} from './korean-time.ts';

/** When a product is issued, counted from Korean midnight, and how long it takes to be published. */
interface Issue {
  readonly every: number;
  readonly offset: number;
  readonly delay: number;
}

/** Publication times of the weather agency's products, with slack: 5 minutes, mid-term 20. */
const NOWCAST: Issue = { every: HOUR, offset: 0, delay: 15 * MINUTE };
const ULTRA_FORECAST: Issue = { every: HOUR, offset: 30 * MINUTE, delay: 20 * MINUTE };
const VILLAGE_FORECAST: Issue = { every: 3 * HOUR, offset: 2 * HOUR, delay: 15 * MINUTE };
const MID_FORECAST: Issue = { every: 12 * HOUR, offset: 6 * HOUR, delay: 30 * MINUTE };
/** Nobody states its delay; a call whose issue is not out yet steps back. */
const LIVING_INDEX: Issue = { every: 3 * HOUR, offset: 0, delay: 0 };

/** The latest issue that is surely out; before the first of a day that is the last of the day before. */
const latestOf = ({ every, offset, delay }: Issue, now: KoreanTime): KoreanTime =>
  Math.floor((now - delay - offset) / every) * every + offset;

const issueOf = (issue: Issue, print: (time: KoreanTime) => string): DefaultRule => ({
  latest: (now) => latestOf(issue, now),
  earlier: (time, steps) => time - steps * issue.every,
  print,
});

/** A day that counts as over, or begun, only some time later. */
const dayAfter = (delay: number): DefaultRule => ({
  latest: (now) => now - delay,
  earlier: earlierDays(1),
  print: asDate,
});

/** The product that `ftype` of the version inquiry names. */
function productOf(ftype: unknown): Issue {
  if (ftype === 'ODAM') return NOWCAST;
  return ftype === 'VSRT' ? ULTRA_FORECAST : VILLAGE_FORECAST;
}

/** Publications of the weather agency. */
export const WEATHER_DEFAULTS = {
  'kma-nowcast-date': issueOf(NOWCAST, asDate),
  'kma-nowcast-time': issueOf(NOWCAST, asClock),
  'kma-ultra-forecast-date': issueOf(ULTRA_FORECAST, asDate),
  'kma-ultra-forecast-time': issueOf(ULTRA_FORECAST, asClock),
  'kma-village-date': issueOf(VILLAGE_FORECAST, asDate),
  'kma-village-time': issueOf(VILLAGE_FORECAST, asClock),
  'kma-version-datetime': {
    latest: (now, { ftype }) => latestOf(productOf(ftype), now),
    earlier: (time, steps, { ftype }) => time - steps * productOf(ftype).every,
    print: asMinute,
  },
  'kma-mid-issue': issueOf(MID_FORECAST, asMinute),
  // Yesterday's observations are complete from about 10:00.
  'kma-asos-day': dayAfter(DAY + 10 * HOUR),
  'kma-living-index-time': issueOf(LIVING_INDEX, asHour),
  'kma-radar-day': dayAfter(15 * MINUTE),
} satisfies Readonly<Record<string, DefaultRule>>;
