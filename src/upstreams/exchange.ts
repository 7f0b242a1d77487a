import type { Dispatcher } from 'undici';
import type { Clock } from '../kernel/clock.ts';
import type { UpstreamRequest } from '../openapi/tool.ts';
import { type AnswerLimits, attempt, type Outcome } from './attempt.ts';
import { ACCEPT_ENCODING } from './decoder.ts';
import type { Interruption } from './interruption.ts';
import type { Origin } from './origins.ts';
import { followRedirect, isRedirect } from './redirects.ts';
import { pause, pauseBeforeRetryMs, type RetryTuning } from './retries.ts';

export interface ExchangeOptions {
  readonly limits: AnswerLimits;
  readonly retry: RetryTuning;
  readonly userAgent: string;
  readonly clock: Clock;
}

/**
 * One request with all its attempts: redirects within each, retries around them; the last outcome stands, also if it
 * is a 503. One function and not a layer for each: every layer of promises costs every call a microsecond.
 */
export async function exchange(
  origin: Origin,
  request: UpstreamRequest,
  isIdempotent: boolean,
  { limits, retry, userAgent, clock }: ExchangeOptions,
  interruption: Interruption,
): Promise<Outcome> {
  const { method, path, body } = request;
  const dispatched = { method, path, headers: wireHeaders(request, userAgent), body };
  const send = (sent: Dispatcher.DispatchOptions) =>
    attempt(origin.pool, sent, limits, interruption);
  for (let retries = 0; ; retries++) {
    let outcome = await send(dispatched);
    if (isSafe(request) && isRedirect(outcome)) {
      outcome = await followRedirect(outcome, request, (next) =>
        send({ ...dispatched, path: next }),
      );
    }
    if (!isIdempotent || retries >= retry.maxRetries) return outcome;
    const pauseMs = pauseBeforeRetryMs(outcome, retries, retry, clock);
    if (pauseMs === null || pauseMs >= interruption.deadline.remainingMs()) return outcome;
    // A probe is not repeated, nor is any call once others have opened the circuit.
    if (origin.circuit.state() !== 'closed') return outcome;
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
