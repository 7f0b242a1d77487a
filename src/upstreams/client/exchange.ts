import type { Dispatcher } from 'undici';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import type { SendOptions } from '../../tools/tool-connection.ts';
import type { AbortableCall } from './abortable-call.ts';
import { attempt, type Outcome, type ReceivedResponse, type ResponseLimits } from './attempt.ts';
import { ACCEPT_ENCODING } from './decoder.ts';
import type { Permit } from './permit.ts';
import { followRedirect, isRedirect } from './redirects.ts';
import { isRetryable, pause, pauseBeforeRetryMs, type RetryTuning } from './retries.ts';

export interface ExchangeOptions {
  /** Largest response, compressed and decompressed. */
  readonly maxBytes: number;
  readonly retry: RetryTuning;
  readonly clock: Clock;
}

/** One request, in as many attempts as it needs. */
export interface Exchange {
  readonly request: UpstreamRequest;
  readonly options: SendOptions;
  readonly permit: Permit;
  readonly call: AbortableCall;
  readonly dispatched: Dispatcher.DispatchOptions;
  readonly limits: ResponseLimits;
}

/**
 * Exchanges with upstreams: redirects within each attempt, retries around them. The last outcome stands, even a 503. The
 * first attempt is apart from what may follow it, because a layer of promises costs every call a microsecond.
 */
export function createExchanges({ maxBytes, retry, clock }: ExchangeOptions) {
  /** Before the next attempt, in milliseconds; null if there will be no other. */
  function pauseMsAfter({ options, call, permit }: Exchange, outcome: Outcome, retries: number) {
    if (!options.idempotent || retries >= retry.maxRetries) return null;
    const pauseMs = pauseBeforeRetryMs(outcome, retries, retry, clock);
    if (pauseMs === null || pauseMs >= call.deadline.remainingMs()) return null;
    return permit.allowsRetry() ? pauseMs : null;
  }

  return {
    open(
      permit: Permit,
      call: AbortableCall,
      request: UpstreamRequest,
      options: SendOptions,
    ): Exchange {
      const { method, path, body } = request;
      const dispatched = { method, path, headers: wireHeaders(request), body };
      const limits = { maxBytes: options.maxBytes ?? maxBytes, memory: options.memory };
      return { request, options, permit, call, dispatched, limits };
    },
    send: sendOnce,
    /** Follows redirects and retries after the first outcome; the same outcome if that is all. */
    complete(exchange: Exchange, first: Outcome): Awaitable<Outcome> {
      const mayContinue =
        isRedirected(exchange, first) || (exchange.options.idempotent && isRetryable(first));
      return mayContinue ? completeLater(exchange, first) : first;
    },
  };

  async function completeLater(exchange: Exchange, first: Outcome): Promise<Outcome> {
    let outcome = first;
    for (let retries = 0; ; retries++) {
      if (isRedirected(exchange, outcome)) outcome = await follow(exchange, outcome);
      const pauseMs = pauseMsAfter(exchange, outcome, retries);
      if (pauseMs === null) return outcome;
      if (!outcome.error) exchange.limits.memory.give(outcome.takenBytes);
      await pause(pauseMs, exchange.call);
      outcome = await sendOnce(exchange);
    }
  }
}

const sendOnce = ({ permit, dispatched, limits, call }: Exchange): Promise<Outcome> =>
  attempt(permit.origin, dispatched, limits, call);

const isRedirected = ({ request }: Exchange, outcome: Outcome): outcome is ReceivedResponse =>
  isSafe(request) && isRedirect(outcome);

const follow = (exchange: Exchange, outcome: ReceivedResponse): Promise<Outcome> =>
  followRedirect(outcome, exchange.request, (path, { takenBytes }) => {
    exchange.limits.memory.give(takenBytes);
    return sendOnce({ ...exchange, dispatched: { ...exchange.dispatched, path } });
  });

function isSafe({ method }: UpstreamRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Only the headers of the request, with the encodings last: the gateway can read no others, whatever a tool requests. */
function wireHeaders(request: UpstreamRequest): Record<string, string> {
  return { ...request.headers, 'accept-encoding': ACCEPT_ENCODING };
}
