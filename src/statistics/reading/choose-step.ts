import { GatewayError } from '../../platform/kernel/error.ts';
import type { StatisticsRange } from '../statistics.ts';
import { MINUTES_KEPT_MS, STEP_MS, type Step, startOf } from '../tally/steps.ts';

const MAX_MINUTES_MS = 6 * STEP_MS.hour;
const MAX_HOURS_MS = 14 * STEP_MS.day;
export const MAX_POINTS = 1000;

/** The minutes, hours or days of a range. */
export interface Buckets {
  readonly step: Step;
  /** When each of them begins. */
  readonly timesMs: readonly number[];
}

/** Minutes up to 6 hours as long as they are kept, hours up to 14 days, then days. Throws `invalid_arguments`. */
export function chooseBuckets({ fromMs, toMs }: StatisticsRange, nowMs: number): Buckets {
  const step = chooseStep(fromMs, toMs, nowMs);
  const firstMs = startOf(step, fromMs);
  const count = Math.max(1, Math.ceil((toMs - firstMs) / STEP_MS[step]));
  if (!(count <= MAX_POINTS)) {
    throw new GatewayError(
      'invalid_arguments',
      `The range is longer than ${MAX_POINTS} days. Choose a shorter one.`,
    );
  }
  return { step, timesMs: Array.from({ length: count }, (_, n) => firstMs + n * STEP_MS[step]) };
}

function chooseStep(fromMs: number, toMs: number, nowMs: number): Step {
  const lengthMs = toMs - fromMs;
  const areMinutesKept = fromMs > nowMs - MINUTES_KEPT_MS + STEP_MS.minute;
  if (lengthMs <= MAX_MINUTES_MS && areMinutesKept) return 'minute';
  return lengthMs <= MAX_HOURS_MS ? 'hour' : 'day';
}
