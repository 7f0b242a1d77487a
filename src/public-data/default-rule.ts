import { GatewayError } from '../platform/kernel/error.ts';
import { daysBefore, type KoreanTime, monthsBefore } from './korean-time.ts';

/** The caller's arguments, including schema defaults. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/** The rule that computes one default. */
export interface DefaultRule {
  /**
   * The latest publication at the time `now` that fits the caller's arguments; for a plain date, the date itself. Throws
   * `invalid_arguments` if nothing published by then fits them.
   */
  readonly latest: (now: KoreanTime, args: GivenArguments) => KoreanTime;
  /** The publication that is `steps` before `time`. */
  readonly earlier: (time: KoreanTime, steps: number, args: GivenArguments) => KoreanTime;
  readonly print: (time: KoreanTime, args: GivenArguments) => string;
  /** When the publication after the latest is due, for what is published on a schedule. */
  readonly next?: (now: KoreanTime, args: GivenArguments) => KoreanTime;
  /** Whether it is where a range starts, and says nothing of what is published. */
  readonly isStart?: boolean;
}

export const earlierDays =
  (stepDays: number): DefaultRule['earlier'] =>
  (time, steps) =>
    daysBefore(time, steps * stepDays);

export const earlierMonths =
  (stepMonths: number): DefaultRule['earlier'] =>
  (time, steps) =>
    monthsBefore(time, steps * stepMonths);

/** Nothing that is published by now fits a given argument: `invalid_arguments` that names the latest. */
export function unpublished(name: string, given: unknown, latest: string): GatewayError {
  const issue = {
    path: `/${name}`,
    message: `is ${String(given)}, but the latest available is ${latest}. Give that or an earlier one, or leave ${name} out.`,
  };
  return new GatewayError('invalid_arguments', `${issue.path} ${issue.message}`, {
    details: { errors: [issue] },
  });
}
