import type { Dispatcher } from 'undici';
import type { Clock } from '../kernel/clock.ts';
import type { UpstreamRequest } from '../openapi/tool.ts';
import { type AnswerLimits, attempt, type Outcome } from './attempt.ts';
import { ACCEPT_ENCODING } from './decoder.ts';
import type { Interruption } from './interruption.ts';
import type { Origin } from './origins.ts';
import { sendFollowing } from './redirects.ts';
import { type RetryTuning, sendWithRetries } from './retries.ts';

export interface ExchangeOptions {
  readonly limits: AnswerLimits;
  readonly retry: RetryTuning;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** One request with all its attempts: redirects within each, retries around them. */
export function exchange(
  origin: Origin,
  request: UpstreamRequest,
  isIdempotent: boolean,
  options: ExchangeOptions,
  interruption: Interruption,
): Promise<Outcome> {
  const headers = wireHeaders(request, options.userAgent);
  const sendTo = (path: string): Promise<Outcome> => {
    const { method, body } = request;
    const dispatched: Dispatcher.DispatchOptions = { method, path, headers, body };
    return attempt(origin.pool, dispatched, options.limits, interruption);
  };
  const send = isSafe(request)
    ? () => sendFollowing(request.origin, request.path, sendTo)
    : () => sendTo(request.path);
  if (!isIdempotent) return send();
  const { retry, clock } = options;
  // A probe is not repeated, nor is any call once others have opened the circuit.
  const mayRetry = (): boolean => origin.circuit.state() === 'closed';
  return sendWithRetries(send, { retry, clock, mayRetry }, interruption);
}

function isSafe({ method }: UpstreamRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Nothing but what the request holds, and what the gateway says of itself. */
function wireHeaders(request: UpstreamRequest, userAgent: string): Record<string, string> {
  // The encodings come last: the gateway can read no others, whatever a tool's parameters ask for.
  return { 'user-agent': userAgent, ...request.headers, 'accept-encoding': ACCEPT_ENCODING };
}
