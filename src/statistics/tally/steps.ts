import type { StatisticsTable } from '../../platform/database/tables.ts';

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

/** Korea has had no daylight saving time since 1988. Providers reset their quotas at midnight there. */
const SEOUL_MS = 9 * STEP_MS.hour;

/** When the minute, hour or day of a time begins. Days are those of Seoul. */
export function startOf(step: Step, ms: number): number {
  const offsetMs = step === 'day' ? SEOUL_MS : 0;
  return Math.floor((ms + offsetMs) / STEP_MS[step]) * STEP_MS[step] - offsetMs;
}
