import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import type { SendOptions } from '../../tools/tool-connection.ts';
import type { AbortableCall } from './abortable-call.ts';
import { attempt, type Outcome } from './attempt.ts';
import { ACCEPT_ENCODING } from './decoder.ts';
import type { Permit } from './permit.ts';
import { followRedirect, isRedirect } from './redirects.ts';
import { pause, pauseBeforeRetryMs, type RetryTuning } from './retries.ts';

export interface ExchangeOptions {
  /** Largest response, compressed and decompressed. */
  readonly maxBytes: number;
  readonly retry: RetryTuning;
  readonly clock: Clock;
}

export type Exchange = (
  permit: Permit,
  call: AbortableCall,
  request: UpstreamRequest,
  options: SendOptions,
) => Promise<Outcome>;

/**
 * Sends one request in as many attempts as it needs: redirects within each, retries around them. The last outcome
 * stands, even a 503. One function instead of a layer for each: a layer of promises costs every call a microsecond.
 */
export function createExchange({ maxBytes, retry, clock }: ExchangeOptions): Exchange {
  return async (permit, call, request, options) => {
    const { idempotent, memory } = options;
    const { method, path, body } = request;
    const dispatched = { method, path, headers: wireHeaders(request), body };
    const limits = { maxBytes: options.maxBytes ?? maxBytes, memory };
    const send = (sent: Dispatcher.DispatchOptions) => attempt(permit.origin, sent, limits, call);
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
      if (pauseMs === null || pauseMs >= call.deadline.remainingMs()) return outcome;
      if (!permit.allowsRetry()) return outcome;
      if (!outcome.error) memory.give(outcome.takenBytes);
      await pause(pauseMs, call);
    }
  };
}

function isSafe({ method }: UpstreamRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Only the headers of the request, with the encodings last: the gateway can read no others, whatever a tool requests. */
function wireHeaders(request: UpstreamRequest): Record<string, string> {
  return { ...request.headers, 'accept-encoding': ACCEPT_ENCODING };
}
