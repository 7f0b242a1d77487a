import { GatewayError } from '../kernel/error.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Korea keeps UTC+9 all year, so plain arithmetic will do; Intl costs microseconds a call. */
const KST_OFFSET = 9 * HOUR;

/** A moment shifted so that the UTC fields of a Date show Korean wall time; in milliseconds. */
type KoreanTime = number;

/** When a product is issued, counted from Korean midnight, and how long it takes to be published. */
interface Issue {
  readonly every: number;
  readonly offset: number;
  readonly delay: number;
}

/** Publication times of the weather agency's short-term products, with five minutes of slack. */
const NOWCAST: Issue = { every: HOUR, offset: 0, delay: 15 * MINUTE };
const ULTRA_FORECAST: Issue = { every: HOUR, offset: 30 * MINUTE, delay: 20 * MINUTE };
const VILLAGE_FORECAST: Issue = { every: 3 * HOUR, offset: 2 * HOUR, delay: 15 * MINUTE };

/** The latest issue that is surely out; before the first of a day that is the last of the day before. */
const latest =
  ({ every, offset, delay }: Issue) =>
  (now: KoreanTime): KoreanTime =>
    Math.floor((now - delay - offset) / every) * every + offset;

/** YYYYMMDD */
const date = (time: KoreanTime): string =>
  new Date(time).toISOString().slice(0, 10).replaceAll('-', '');

/** HHMM */
const clock = (time: KoreanTime): string =>
  new Date(time).toISOString().slice(11, 16).replace(':', '');

const of =
  (moment: (now: KoreanTime) => KoreanTime, print: (time: KoreanTime) => string) =>
  (now: KoreanTime): string =>
    print(moment(now));

/** The closed list of `x-default` expressions (contract "Preset definition files"). */
const EXPRESSIONS: ReadonlyMap<string, (now: KoreanTime) => string> = new Map([
  ['today-kst', date],
  ['kma-nowcast-date', of(latest(NOWCAST), date)],
  ['kma-nowcast-time', of(latest(NOWCAST), clock)],
  ['kma-ultra-forecast-date', of(latest(ULTRA_FORECAST), date)],
  ['kma-ultra-forecast-time', of(latest(ULTRA_FORECAST), clock)],
  ['kma-village-date', of(latest(VILLAGE_FORECAST), date)],
  ['kma-village-time', of(latest(VILLAGE_FORECAST), clock)],
]);

/**
 * What an `x-default` expression is worth at a moment (milliseconds since the epoch). Give every parameter of
 * one call the same moment, or a date and its time may come from different issues. Throws `internal` for a name
 * that is not in the list; the compiler lets none through.
 */
export function computedDefault(name: string, nowMs: number): string {
  const expression = EXPRESSIONS.get(name);
  if (!expression) {
    throw new GatewayError('internal', undefined, {
      cause: new Error(`There is no x-default expression "${name}".`),
    });
  }
  return expression(nowMs + KST_OFFSET);
}
