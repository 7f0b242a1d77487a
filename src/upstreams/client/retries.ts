import type { Clock } from '../../platform/kernel/clock.ts';
import { headerText, type Outcome } from './attempt.ts';
import { wasReused } from './connector.ts';
import type { Interruption } from './interruption.ts';

export interface RetryTuning {
  readonly maxRetries: number;
  /** Upper bound of the pause before the first retry, in milliseconds; it doubles with every further one. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * How long to pause before an attempt is repeated; null if its outcome is final.
 *
 * undici's own retry handler is not used: it goes on with a broken-off body by a Range request, which data APIs
 * answer wrongly, cannot tell a reused connection from a new one, and pauses without regard to a deadline.
 */
export function pauseBeforeRetryMs(
  outcome: Outcome,
  retries: number,
  tuning: RetryTuning,
  clock: Clock,
): number | null {
  if (!isRetryable(outcome)) return null;
  return Math.max(jitteredMs(retries, tuning), requestedDelayMs(outcome, clock.now()));
}

/** Only where the upstream has executed nothing, or says that the same request may succeed later. */
function isRetryable(outcome: Outcome): boolean {
  if (outcome.error) {
    return outcome.fate === 'unsent' || (outcome.fate === 'cut' && wasReused(outcome.error.cause));
  }
  switch (outcome.status) {
    case 502:
    case 503:
    case 504:
      return true;
    case 429:
      return headerText(outcome.headers, 'retry-after') !== '';
    default:
      return false;
  }
}

/** Full jitter: many calls that failed together must not come back together. */
function jitteredMs(retries: number, tuning: RetryTuning): number {
  return Math.random() * Math.min(tuning.maxDelayMs, tuning.baseDelayMs * 2 ** retries);
}

/** `Retry-After` in milliseconds from now (RFC 9110 section 10.2.3); 0 if absent, for ever if unreadable. */
function requestedDelayMs(outcome: Outcome, nowMs: number): number {
  const text = outcome.error ? '' : headerText(outcome.headers, 'retry-after').trim();
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? Number.POSITIVE_INFINITY : Math.max(0, moment - nowMs);
}

/** Rejects when the call is interrupted meanwhile. */
export function pause(durationMs: number, interruption: Interruption): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, durationMs);
    interruption.watch({
      interrupt(error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
