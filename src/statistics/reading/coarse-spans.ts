import { STEP_MS, type Step, startOf } from '../tally/steps.ts';

/** A time that is covered by whole minutes, hours or days. */
export interface Span {
  readonly step: Step;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

const COARSER: Readonly<Record<Step, Step | undefined>> = {
  minute: 'hour',
  hour: 'day',
  day: undefined,
};

/** The same time in the fewest steps: whole days as days, of what remains whole hours as hours. */
export function coarseSpans({ step, fromMs, toMs }: Span): Span[] {
  const coarser = COARSER[step];
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
