import type { DefaultRule, GivenArguments } from './default-rule.ts';
import { DAY, daysBefore, type KoreanTime, readDigits } from './korean-time.ts';
import { unpublished } from './unpublished.ts';

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
export const withoutRanges = (args: GivenArguments): GivenArguments =>
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
export function fittingDay(
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
export const daysAfter =
  (days: number) =>
  (start: KoreanTime): KoreanTime =>
    start + days * DAY;
