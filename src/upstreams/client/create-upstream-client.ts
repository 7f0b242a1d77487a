import type { buildConnector } from 'undici';
import { type Clock, systemClock } from '../../platform/kernel/clock.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { AbortableCall } from './abortable-call.ts';
import { headerText } from './attempt.ts';
import { type CircuitTuning, originState } from './circuit.ts';
import { createExchange } from './exchange.ts';
import { STOPPING } from './network-errors.ts';
import { createOpenCalls } from './open-calls.ts';
import { createOrigins, type Isolation, type Origin } from './origins.ts';
import { Permit } from './permit.ts';
import type { RetryTuning } from './retries.ts';
import type { UpstreamClient, UpstreamState } from './upstream-client.ts';

export interface UpstreamClientOptions {
  /** Largest response, compressed and decompressed. */
  readonly maxBytes: number;
  /** Calls in flight to one origin; the same number per tenant may wait. */
  readonly concurrencyPerOrigin: number;
  /** For dates in `Retry-After`; everything else uses the monotonic clock. */
  readonly clock?: Clock;
  readonly logger?: { warn(fields: object, message: string): void };
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

/** Creates the client of all presets, or with `isolation` that of all registered APIs: one of each per process. */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { maxBytes, clock = systemClock, closeGraceMs = 10_000 } = options;
  const exchange = createExchange({ maxBytes, retry: { ...RETRY, ...options.retry }, clock });
  const origins = createOrigins({
    maxOrigins: options.maxOrigins ?? MAX_ORIGINS,
    idleOriginMs: IDLE_ORIGIN_MS,
    concurrencyPerOrigin: options.concurrencyPerOrigin,
    circuit: { ...CIRCUIT, ...options.circuit },
    onCircuitOpen: (origin, scope) => options.logger?.warn({ origin }, CIRCUIT_OPENED[scope]),
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
        const outcome = await exchange(permit, call, request, sendOptions);
        permit.setOutcome(outcome);
        if (outcome.error) throw outcome.error;
        const upstreamMs = performance.now() - startedMs;
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
