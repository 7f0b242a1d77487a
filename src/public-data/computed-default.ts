import type { ComputedDefaultName } from '../tools/model.ts';
import { CALENDAR_DEFAULTS } from './calendar-defaults.ts';
import type { DefaultRule, GivenArguments } from './default-rule.ts';
import { ECONOMY_DEFAULTS } from './economy-defaults.ts';
import { koreanTime } from './korean-time.ts';
import { WEATHER_DEFAULTS } from './weather-defaults.ts';

/** The closed list of `x-default` expressions (docs/contract.md#preset-definition-files). */
const RULES: Readonly<Record<ComputedDefaultName, DefaultRule>> = {
  ...CALENDAR_DEFAULTS,
  ...WEATHER_DEFAULTS,
  ...ECONOMY_DEFAULTS,
};

/** What a default may depend on. */
export interface DefaultCircumstances {
  /**
   * Milliseconds since the epoch. Give every parameter of one call the same moment, or a date and its time may
   * come from different issues.
   */
  readonly nowMs: number;
  readonly args: GivenArguments;
  /** How many publications before the latest. */
  readonly stepsBack: number;
}

/** What an `x-default` expression is worth when a tool is called. */
export function computedDefault(
  name: ComputedDefaultName,
  { nowMs, args, stepsBack }: DefaultCircumstances,
): string {
  const { latest, earlier, print } = RULES[name];
  return print(earlier(latest(koreanTime(nowMs), args), stepsBack, args), args);
}
