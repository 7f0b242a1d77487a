import type { StatisticsTable } from '../platform/database/tables.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { SEOUL_OFFSET_MS } from '../platform/kernel/time.ts';

/** Lengths of time for which calls are counted. */
export type Step = StatisticsTable['step'];

export const STEPS: readonly Step[] = ['minute', 'hour', 'day'];

export const STEP_MS: Readonly<Record<Step, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** How long minutes are kept. */
export const MINUTES_KEPT_MS = 2 * STEP_MS.day;

/** When the minute, hour or day of a time begins. Days begin at midnight in Seoul. */
export function startOf(step: Step, ms: number): number {
  const offsetMs = step === 'day' ? SEOUL_OFFSET_MS : 0;
  return Math.floor((ms + offsetMs) / STEP_MS[step]) * STEP_MS[step] - offsetMs;
}

/** A time that is covered by whole minutes, hours or days. */
export interface Span {
  readonly step: Step;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

const MAX_MINUTES_MS = 6 * STEP_MS.hour;
const MAX_HOURS_MS = 14 * STEP_MS.day;
const MAX_POINTS = 1000;

/** Minutes up to 6 hours as long as they are kept, hours up to 14 days, then days. Throws `invalid_arguments`. */
export function chooseSpan({ fromMs, toMs }: Omit<Span, 'step'>, nowMs: number): Span {
  const step = chooseStep(fromMs, toMs, nowMs);
  const firstMs = startOf(step, fromMs);
  const count = Math.max(1, Math.ceil((toMs - firstMs) / STEP_MS[step]));
  if (!(count <= MAX_POINTS)) {
    throw new GatewayError(
      'invalid_arguments',
      `The range is longer than ${MAX_POINTS} days. Choose a shorter one.`,
    );
  }
  return { step, fromMs: firstMs, toMs: firstMs + count * STEP_MS[step] };
}

function chooseStep(fromMs: number, toMs: number, nowMs: number): Step {
  const lengthMs = toMs - fromMs;
  const areMinutesKept = fromMs > nowMs - MINUTES_KEPT_MS + STEP_MS.minute;
  if (lengthMs <= MAX_MINUTES_MS && areMinutesKept) return 'minute';
  return lengthMs <= MAX_HOURS_MS ? 'hour' : 'day';
}

/** When each minute, hour or day of a span begins. */
export const timesOf = ({ step, fromMs, toMs }: Span): number[] =>
  Array.from({ length: (toMs - fromMs) / STEP_MS[step] }, (_, n) => fromMs + n * STEP_MS[step]);

/** The same time in the fewest steps: whole days as days, of what remains whole hours as hours. */
export function coarseSpans({ step, fromMs, toMs }: Span): Span[] {
  const coarser = STEPS[STEPS.indexOf(step) + 1];
  if (!coarser) return [{ step, fromMs, toMs }];
  const startMs = startOf(coarser, fromMs + STEP_MS[coarser] - 1);
  const endMs = startOf(coarser, toMs);
  if (startMs >= endMs) return [{ step, fromMs, toMs }];
  return [
    { step, fromMs, toMs: startMs },
    ...coarseSpans({ step: coarser, fromMs: startMs, toMs: endMs }),
    { step, fromMs: endMs, toMs },
  ].filter((span) => span.fromMs < span.toMs);
}
