import { GatewayError } from '../platform/kernel/error.ts';
import type { ComputeDefault } from '../tools/model.ts';
import { CALENDAR_DEFAULTS } from './calendar-defaults.ts';
import type { DefaultRule, GivenArguments } from './default-rule.ts';
import { ECONOMY_DEFAULTS } from './economy-defaults.ts';
import { withoutRanges } from './given-range.ts';
import { DAY, koreanTime, startOfDay, unixTime } from './korean-time.ts';
import { WEATHER_DEFAULTS } from './weather-defaults.ts';

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
