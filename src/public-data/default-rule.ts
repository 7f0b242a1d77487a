import { daysBefore, type KoreanTime, monthsBefore } from './korean-time.ts';

/** The arguments that the caller gave, schema defaults included. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/** How one default is worked out. */
export interface DefaultRule {
  /** The latest publication at a moment, or the day that is meant. */
  readonly latest: (now: KoreanTime, args: GivenArguments) => KoreanTime;
  /** Some publications before that one. */
  readonly earlier: (time: KoreanTime, steps: number, args: GivenArguments) => KoreanTime;
  readonly print: (time: KoreanTime, args: GivenArguments) => string;
}

export const earlierDays =
  (stepDays: number): DefaultRule['earlier'] =>
  (time, steps) =>
    daysBefore(time, steps * stepDays);

export const earlierMonths =
  (stepMonths: number): DefaultRule['earlier'] =>
  (time, steps) =>
    monthsBefore(time, steps * stepMonths);
