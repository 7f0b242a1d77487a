import type { Clock } from '../../platform/kernel/clock.ts';
import type { AbortableCall } from './abortable-call.ts';
import { headerText, type Outcome } from './attempt.ts';
import { wasReused } from './connector.ts';

export interface RetryTuning {
  readonly maxRetries: number;
  /** Upper bound of the pause before the first retry, in milliseconds; it doubles with every further one. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * The pause before the next attempt; null if the outcome is final.
 *
 * undici's own retry handler is not used: it continues a truncated body with a Range request, to which data APIs
 * respond incorrectly, cannot distinguish a reused connection from a new one, and pauses without regard to a deadline.
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

/** Only if the upstream has executed nothing, or reports that the same request may succeed later. */
export function isRetryable(outcome: Outcome): boolean {
  if (outcome.error) {
    const { error, delivery } = outcome;
    return delivery === 'unsent' || (delivery === 'cut' && wasReused(error.cause));
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

/** Full jitter: calls that failed together must not be retried together. */
function jitteredMs(retries: number, tuning: RetryTuning): number {
  return Math.random() * Math.min(tuning.maxDelayMs, tuning.baseDelayMs * 2 ** retries);
}

/** `Retry-After` in milliseconds from now (RFC 9110 section 10.2.3); 0 if absent, infinite if invalid. */
function requestedDelayMs(outcome: Outcome, nowMs: number): number {
  const text = outcome.error ? '' : headerText(outcome.headers, 'retry-after').trim();
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? Number.POSITIVE_INFINITY : Math.max(0, dateMs - nowMs);
}

/** Rejects if the call is aborted during the pause. */
export function pause(durationMs: number, call: AbortableCall): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, durationMs);
    call.setStep({
      abort(error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
