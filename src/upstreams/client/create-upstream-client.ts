import type { buildConnector } from 'undici';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { headerText } from '../../platform/kernel/http-names.ts';
import { type Clock, systemClock } from '../../platform/kernel/time.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import type { RawResponse, SendOptions, UpstreamState } from '../../tools/tool-connection.ts';
import { AbortableCall } from './abortable-call.ts';
import type { ReceivedResponse } from './attempt.ts';
import { type CircuitTuning, originState } from './circuit.ts';
import { ACCEPT_ENCODING } from './decoder.ts';
import { STOPPING } from './network-errors.ts';
import { createOrigins, type Isolation, type Origin } from './origins.ts';
import { Permit } from './permit.ts';
import { complete, type RetryTuning, reserve, retryAfterSeconds, sendOnce } from './retries.ts';

export interface UpstreamClientOptions {
  /** Largest response, compressed and decompressed. */
  readonly maxBytes: number;
  /** Calls in flight to one origin; the same number per tenant may wait. */
  readonly concurrencyPerOrigin: number;
  /** For dates in `Retry-After`; everything else uses the monotonic clock. */
  readonly clock?: Clock;
  readonly logger?: Record<'info' | 'warn', (fields: object, message: string) => void>;
  readonly retry?: Partial<RetryTuning>;
  readonly circuit?: Partial<CircuitTuning>;
  /** Opens every connection instead of undici's connector. */
  readonly connect?: buildConnector.connector;
  /** For upstreams that tenants choose. */
  readonly isolation?: Isolation;
  readonly maxOrigins?: number;
  /** How long `close` waits for calls in flight, in milliseconds. */
  readonly closeGraceMs?: number;
}

const MAX_ORIGINS = 1000;
const IDLE_ORIGIN_MS = 600_000;
const RETRY = { maxRetries: 2, baseDelayMs: 100, maxDelayMs: 2000 };
const CIRCUIT = { failures: 5, openMs: 10_000 };

const CIRCUIT_OPENED = 'upstream circuit opened for one tenant';
const CIRCUIT_CLOSED = 'upstream circuit closed';

export type UpstreamClient = ReturnType<typeof createUpstreamClient>;

/** Creates the client of all presets, or with `isolation` the client of all registered APIs: one of each per process. */
export function createUpstreamClient(options: UpstreamClientOptions) {
  const { logger, closeGraceMs = 10_000 } = options;
  const retry = { ...RETRY, clock: options.clock ?? systemClock, ...options.retry };
  let circuitsOpened = 0;
  const origins = createOrigins({
    maxOrigins: MAX_ORIGINS,
    idleOriginMs: IDLE_ORIGIN_MS,
    ...options,
    circuit: { ...CIRCUIT, ...options.circuit },
    onCircuitOpen: (origin) => {
      circuitsOpened += 1;
      logger?.warn({ origin }, CIRCUIT_OPENED);
    },
    onCircuitClose: (origin) => logger?.info({ origin }, CIRCUIT_CLOSED),
  });
  const calls = createOpenCalls();
  let closed: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await calls.drained(closeGraceMs);
    calls.abortAll(new GatewayError('overloaded', STOPPING));
    await origins.destroy();
  }

  return {
    /** Throws only GatewayErrors: errors of the upstream group, `overloaded`, `cancelled`, or `internal` for a request that cannot be sent. */
    async send(request: UpstreamRequest, sendOptions: SendOptions): Promise<RawResponse> {
      if (closed !== null) throw new GatewayError('overloaded', STOPPING);
      const call = new AbortableCall(sendOptions.deadline, sendOptions.cancellation);
      calls.add(call);
      let permit: Permit | undefined;
      try {
        call.throwIfAborted();
        const origin = origins.get(request.origin, sendOptions.tenantId);
        permit = new Permit(origin, sendOptions.tenantId);
        if (!permit.tryAcquire()) await permit.acquire(call);
        call.throwIfAborted();
        permit.admit();
        const { memory, idempotent, quota, maxBytes = options.maxBytes } = sendOptions;
        if (quota) await reserve(quota, call);
        const startedMs = performance.now();
        const limits = { maxBytes, memory };
        const dispatched = dispatchOf(request);
        const exchange = { request, idempotent, permit, call, dispatched, limits, retry, quota };
        const completed = complete(exchange, await sendOnce(exchange));
        const outcome = completed instanceof Promise ? await completed : completed;
        permit.setOutcome(outcome);
        const upstreamMs = performance.now() - startedMs;
        sendOptions.onSent?.({ status: outcome.status ?? null, upstreamMs });
        if (outcome.error) throw outcome.error;
        origin.latencies.add(upstreamMs);
        return responseOf(outcome, upstreamMs, retry.clock.now());
      } catch (error) {
        throw toGatewayError(error);
      } finally {
        permit?.release();
        call.end();
        calls.remove(call);
      }
    },
    /** The origins that all tenants share, and the origins of this tenant. */
    states: (tenantId?: string): UpstreamState[] =>
      origins
        .all()
        .filter((origin) => origin.tenantId === null || origin.tenantId === tenantId)
        .map(stateOf),
    /** All origins, of every tenant. */
    loads: () => origins.all().map(loadOf),
    /** How often a circuit has opened since the start. */
    circuitsOpened: () => circuitsOpened,
    close(): Promise<void> {
      closed ??= stop();
      return closed;
    },
  };
}

function responseOf(
  { status, headers, body }: ReceivedResponse,
  upstreamMs: number,
  nowMs: number,
): RawResponse {
  const contentType = headerText(headers, 'content-type');
  const received = { status, contentType, headers, body, upstreamMs };
  if (status < 400) return received;
  const waitSeconds = retryAfterSeconds(headerText(headers, 'retry-after'), nowMs);
  return waitSeconds === undefined ? received : { ...received, retryAfterSeconds: waitSeconds };
}

const stateOf = ({ name, circuit, lanes, bulkhead, latencies }: Origin) => ({
  origin: name,
  circuit: originState(circuit, lanes.all()),
  inFlight: bulkhead.inFlight(),
  p50Ms: latencies.percentileMs(0.5),
  p99Ms: latencies.percentileMs(0.99),
});

/** What an origin carries now, for the metrics; `waiting` calls have no slot yet. */
const loadOf = ({ name, circuit, lanes, bulkhead }: Origin) => ({
  origin: name,
  circuit: originState(circuit, lanes.all()),
  inFlight: bulkhead.inFlight(),
  waiting: lanes.all().reduce((sum, { waiting }) => sum + waiting.length, 0),
});

/**
 * The calls in flight, which must end before the client closes: an array that fills a gap with its last entry. Not a Set:
 * constant adding and deleting makes a Set replace its table every few dozen calls, and V8 keeps the replaced tables, with
 * every call they held, until a full collection. That cost 5 us a call.
 */
function createOpenCalls() {
  const calls: AbortableCall[] = [];
  let onDrained = (): void => {};

  return {
    add(call: AbortableCall): void {
      call.index = calls.push(call) - 1;
    },
    remove(call: AbortableCall): void {
      const last = calls.pop();
      if (last && last !== call) {
        last.index = call.index;
        calls[last.index] = last;
      }
      if (calls.length === 0) onDrained();
    },
    /** Resolves when no call is left, or after `timeoutMs`. */
    async drained(timeoutMs: number): Promise<void> {
      if (calls.length === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      onDrained = resolve;
      await promise;
      clearTimeout(timer);
    },
    abortAll(error: GatewayError): void {
      for (const call of calls) call.abort(error);
    },
  };
}

/** Only the headers of the request, with the encodings last: the gateway can read no others, whatever a tool requests. */
const dispatchOf = ({ method, path, headers, body }: UpstreamRequest) => ({
  method,
  path,
  headers: { ...headers, 'accept-encoding': ACCEPT_ENCODING },
  body,
});
