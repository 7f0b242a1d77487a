import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import { attempt, type Outcome } from './attempt.ts';
import { ACCEPT_ENCODING, type DecoderLimits } from './decoder.ts';
import type { Guard } from './guard.ts';
import type { Interruption } from './interruption.ts';
import type { Origin } from './origins.ts';
import { followRedirect, isRedirect } from './redirects.ts';
import { pause, pauseBeforeRetryMs, type RetryTuning } from './retries.ts';
import type { SendOptions } from './upstream-client.ts';

export interface ExchangeOptions {
  readonly limits: DecoderLimits;
  readonly retry: RetryTuning;
  readonly userAgent: string;
  readonly clock: Clock;
}

/**
 * One request with all its attempts: redirects within each, retries around them; the last outcome stands, also if it
 * is a 503. One function and not a layer for each: every layer of promises costs every call a microsecond.
 */
export async function exchange(
  { pool, leftBehind }: Pick<Origin, 'pool' | 'leftBehind'>,
  guard: Guard,
  request: UpstreamRequest,
  { idempotent, memory }: SendOptions,
  { limits, retry, userAgent, clock }: ExchangeOptions,
  interruption: Interruption,
): Promise<Outcome> {
  const { method, path, body } = request;
  const dispatched = { method, path, headers: wireHeaders(request, userAgent), body };
  const answerLimits = { ...limits, memory };
  const send = (sent: Dispatcher.DispatchOptions) =>
    attempt(pool, leftBehind, sent, answerLimits, interruption);
  for (let retries = 0; ; retries++) {
    let outcome = await send(dispatched);
    if (isSafe(request) && isRedirect(outcome)) {
      outcome = await followRedirect(outcome, request, (next, { takenBytes }) => {
        memory.give(takenBytes);
        return send({ ...dispatched, path: next });
      });
    }
    if (!idempotent || retries >= retry.maxRetries) return outcome;
    const pauseMs = pauseBeforeRetryMs(outcome, retries, retry, clock);
    if (pauseMs === null || pauseMs >= interruption.deadline.remainingMs()) return outcome;
    if (!guard.mayRepeat()) return outcome;
    if (!outcome.error) memory.give(outcome.takenBytes);
    await pause(pauseMs, interruption);
  }
}

function isSafe({ method }: UpstreamRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Nothing but what the request holds, and what the gateway says of itself. */
function wireHeaders(request: UpstreamRequest, userAgent: string): Record<string, string> {
  // The encodings come last: the gateway can read no others, whatever a tool's parameters ask for.
  return { 'user-agent': userAgent, ...request.headers, 'accept-encoding': ACCEPT_ENCODING };
}
