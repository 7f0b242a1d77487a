import type { Dispatcher } from 'undici';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { headerText } from '../../platform/kernel/http-names.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import type { RequestQuota } from '../../tools/tool-connection.ts';
import type { AbortableCall } from './abortable-call.ts';
import { attempt, type Outcome, type ReceivedResponse, type ResponseLimits } from './attempt.ts';
import { wasReused } from './connector.ts';
import { isUnavailable, type Permit } from './permit.ts';
import { followRedirect, isSentOn } from './redirects.ts';

export interface RetryTuning {
  readonly maxRetries: number;
  /** Upper bound of the pause before the first retry, in milliseconds; it doubles with every further one. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** For dates in `Retry-After`. */
  readonly clock: Clock;
}

/** One request, in as many attempts as it needs: redirects within each attempt, retries around them. */
export interface Exchange {
  readonly request: UpstreamRequest;
  readonly idempotent: boolean;
  readonly permit: Permit;
  readonly call: AbortableCall;
  readonly dispatched: Dispatcher.DispatchOptions;
  readonly limits: ResponseLimits;
  readonly retry: RetryTuning;
  readonly quota: RequestQuota | undefined;
}

/** Sends a request, which has been reserved. */
export const sendOnce = ({ permit, dispatched, limits, call }: Exchange): Promise<Outcome> =>
  attempt(permit.origin, dispatched, limits, call);

/** Reserves a request in the quota of the provider. Rejects with what refuses it, or when the call is aborted. */
export function reserve(quota: RequestQuota, call: AbortableCall): Awaitable<void> {
  const reserving = quota.reserve();
  if (!(reserving instanceof Promise)) return;
  return new Promise((resolve, reject) => {
    let isAborted = false;
    call.setStep({
      abort(error) {
        isAborted = true;
        reject(error);
      },
    });
    reserving.then(() => (isAborted ? quota.release() : resolve()), reject);
  });
}

/**
 * Follows redirects and retries after the first outcome; returns that if nothing follows it. The last outcome stands, even
 * a 503. The first attempt is apart from what may follow it, because a layer of promises costs every call a microsecond.
 *
 * undici's own retry handler is not used: it continues a truncated body with a Range request, to which data APIs
 * respond incorrectly, cannot distinguish a reused connection from a new one, and pauses without regard to a deadline.
 */
export function complete(exchange: Exchange, first: Outcome): Awaitable<Outcome> {
  releaseUnsent(exchange, first);
  const mayContinue =
    isSentOn(exchange.request, first) || (exchange.idempotent && isRetryable(first));
  return mayContinue ? completeLater(exchange, first) : first;
}

async function completeLater(exchange: Exchange, first: Outcome): Promise<Outcome> {
  const { idempotent, permit, call, limits, retry, quota } = exchange;
  let outcome = first;
  for (let retries = 0; ; retries++) {
    if (isSentOn(exchange.request, outcome)) outcome = await follow(exchange, outcome);
    const mayRetry = idempotent && isRetryable(outcome) && retries < retry.maxRetries;
    const pauseMs = mayRetry ? pauseBeforeMs(retries, outcome, retry) : Number.POSITIVE_INFINITY;
    if (pauseMs >= call.deadline.remainingMs() || !permit.allowsRetry()) return outcome;
    await pause(pauseMs, call);
    if (quota && !(await mayReserve(quota, call))) return outcome;
    if (!outcome.error) limits.memory.give(outcome.takenBytes);
    outcome = await sendOnce(exchange);
    releaseUnsent(exchange, outcome);
  }
}

/** The provider does not count a request that never left. */
function releaseUnsent({ quota }: Exchange, outcome: Outcome): void {
  if (outcome.error && outcome.delivery === 'unsent') quota?.release();
}

/** Whether there is room for one more request; without it, the outcome before it stands. */
async function mayReserve(quota: RequestQuota, call: AbortableCall): Promise<boolean> {
  try {
    await reserve(quota, call);
    return true;
  } catch {
    call.throwIfAborted();
    return false;
  }
}

const follow = (exchange: Exchange, outcome: ReceivedResponse): Promise<Outcome> =>
  followRedirect(outcome, exchange.request, async (path, { takenBytes }) => {
    const { limits, quota, call, dispatched } = exchange;
    limits.memory.give(takenBytes);
    if (quota) await reserve(quota, call);
    return sendOnce({ ...exchange, dispatched: { ...dispatched, path } });
  });

/** Only if the upstream has executed nothing, or reports that the same request may succeed later. */
function isRetryable(outcome: Outcome): boolean {
  if (outcome.error) {
    const { error, delivery } = outcome;
    return delivery === 'unsent' || (delivery === 'cut' && wasReused(error.cause));
  }
  const { status, headers } = outcome;
  return status === 429 ? headerText(headers, 'retry-after') !== '' : isUnavailable(status);
}

/** Full jitter: calls that failed together must not be retried together. */
function pauseBeforeMs(
  retries: number,
  outcome: Outcome,
  { maxDelayMs, baseDelayMs, clock }: RetryTuning,
): number {
  const jitteredMs = Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** retries);
  return Math.max(jitteredMs, requestedDelayMs(outcome, clock.now()));
}

/** What the upstream asks for, in milliseconds; 0 if it asks for nothing. */
const requestedDelayMs = (outcome: Outcome, nowMs: number): number =>
  (outcome.error ? undefined : retryAfterMs(headerText(outcome.headers, 'retry-after'), nowMs)) ??
  0;

/** Rejects if the call is aborted during the pause. */
function pause(durationMs: number, call: AbortableCall): Promise<void> {
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

/** The longest wait that is passed on, in seconds: a day. */
const MAX_SECONDS = 86_400;

/**
 * `Retry-After` in milliseconds from now (RFC 9110 section 10.2.3), also in decimals, which some upstreams send; undefined if
 * it is absent, infinite if it is invalid.
 */
export function retryAfterMs(header: string, nowMs: number): number | undefined {
  const text = header.trim();
  if (text === '') return undefined;
  if (/^\d+(?:\.\d*)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Other texts, such as `1,5`, would be read as years.
  const dateMs = /[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? Number.POSITIVE_INFINITY : Math.max(0, dateMs - nowMs);
}

/** The same in whole seconds, at most a day; undefined also if it is invalid. */
export function retryAfterSeconds(header: string, nowMs: number): number | undefined {
  const ms = retryAfterMs(header, nowMs);
  if (ms === undefined || ms === Number.POSITIVE_INFINITY) return undefined;
  return Math.min(MAX_SECONDS, Math.ceil(ms / 1000));
}
