import type { buildConnector } from 'undici';
import { type Clock, systemClock } from '../../platform/kernel/clock.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { AbortableCall } from './abortable-call.ts';
import { headerText } from './attempt.ts';
import { type CircuitTuning, originState } from './circuit.ts';
import { createExchanges } from './exchange.ts';
import { STOPPING } from './network-errors.ts';
import { createOpenCalls } from './open-calls.ts';
import { createOrigins, type Isolation, type Origin } from './origins.ts';
import { Permit } from './permit.ts';
import type { RetryTuning } from './retries.ts';
import type { UpstreamClient, UpstreamLoad, UpstreamState } from './upstream-client.ts';

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
const RETRY: RetryTuning = { maxRetries: 2, baseDelayMs: 100, maxDelayMs: 2000 };
const CIRCUIT: CircuitTuning = { failures: 5, openMs: 10_000 };

const CIRCUIT_OPENED = {
  all: 'upstream circuit opened',
  tenant: 'upstream circuit opened for one tenant',
};
const CIRCUIT_CLOSED = 'upstream circuit closed';

/** Creates the client of all presets, or with `isolation` that of all registered APIs: one of each per process. */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { maxBytes, clock = systemClock, closeGraceMs = 10_000 } = options;
  let circuitsOpened = 0;
  const exchanges = createExchanges({ maxBytes, retry: { ...RETRY, ...options.retry }, clock });
  const origins = createOrigins({
    maxOrigins: options.maxOrigins ?? MAX_ORIGINS,
    idleOriginMs: IDLE_ORIGIN_MS,
    concurrencyPerOrigin: options.concurrencyPerOrigin,
    circuit: { ...CIRCUIT, ...options.circuit },
    onCircuitOpen: (origin, scope) => {
      circuitsOpened += 1;
      options.logger?.warn({ origin }, CIRCUIT_OPENED[scope]);
    },
    onCircuitClose: (origin) => options.logger?.info({ origin }, CIRCUIT_CLOSED),
    ...(options.connect ? { connect: options.connect } : {}),
    ...(options.isolation ? { isolation: options.isolation } : {}),
  });
  const calls = createOpenCalls();
  let closed: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await calls.drained(closeGraceMs);
    calls.abortAll(new GatewayError('overloaded', STOPPING));
    await origins.destroy();
  }

  return {
    async send(request, sendOptions) {
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
        const startedMs = performance.now();
        const exchange = exchanges.open(permit, call, request, sendOptions);
        const completed = exchanges.complete(exchange, await exchanges.send(exchange));
        const outcome = completed instanceof Promise ? await completed : completed;
        permit.setOutcome(outcome);
        const upstreamMs = performance.now() - startedMs;
        sendOptions.onSent?.({ status: outcome.status ?? null, upstreamMs });
        if (outcome.error) throw outcome.error;
        origin.latencies.add(upstreamMs);
        const contentType = headerText(outcome.headers, 'content-type');
        return { status: outcome.status, contentType, body: outcome.body, upstreamMs };
      } catch (error) {
        throw toGatewayError(error);
      } finally {
        permit?.release();
        call.end();
        calls.remove(call);
      }
    },
    states: (tenantId) =>
      origins
        .all()
        .filter((origin) => origin.tenantId === null || origin.tenantId === tenantId)
        .map(stateOf),
    loads: () => origins.all().map(loadOf),
    circuitsOpened: () => circuitsOpened,
    close() {
      closed ??= stop();
      return closed;
    },
  };
}

const stateOf = ({ name, circuit, lanes, bulkhead, latencies }: Origin): UpstreamState => ({
  origin: name,
  circuit: originState(circuit, lanes.all()),
  inFlight: bulkhead.inFlight(),
  p50Ms: latencies.percentileMs(0.5),
  p99Ms: latencies.percentileMs(0.99),
});

const loadOf = ({ name, circuit, lanes, bulkhead }: Origin): UpstreamLoad => ({
  origin: name,
  circuit: originState(circuit, lanes.all()),
  inFlight: bulkhead.inFlight(),
  waiting: lanes.all().reduce((sum, { waiting }) => sum + waiting.length, 0),
});
