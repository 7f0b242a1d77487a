import type { ComputeDefault } from '../tools/model.ts';
import { CALENDAR_DEFAULTS } from './calendar-defaults.ts';
import type { DefaultRule, GivenArguments } from './default-rule.ts';
import { ECONOMY_DEFAULTS } from './economy-defaults.ts';
import { koreanTime, unixTime } from './korean-time.ts';
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

/** The functions that compute the defaults, by the name that `x-default` gives. */
export const COMPUTED_DEFAULTS: ReadonlyMap<string, ComputeDefault> = new Map(
  Object.entries(RULES).map(([name, rule]) => [name, computeBy(rule)]),
);
