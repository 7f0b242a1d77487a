import type { buildConnector } from 'undici';
import { type Clock, systemClock } from '../../platform/kernel/clock.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { headerText } from './attempt.ts';
import type { CircuitTuning } from './circuit.ts';
import { type ExchangeOptions, exchange } from './exchange.ts';
import { STOPPING } from './faults.ts';
import { Guard } from './guard.ts';
import { Interruption } from './interruption.ts';
import { createOpenCalls } from './open-calls.ts';
import { createOrigins } from './origins.ts';
import type { RetryTuning } from './retries.ts';
import type { UpstreamClient } from './upstream-client.ts';

export interface UpstreamClientOptions {
  /** Largest answer, compressed and decompressed. */
  readonly maxBytes: number;
  /** Calls under way to one origin; as many again may wait. */
  readonly concurrencyPerOrigin: number;
  readonly userAgent?: string;
  /** For dates in `Retry-After`; all else goes by the monotonic clock. */
  readonly clock?: Clock;
  readonly logger?: { warn(fields: object, message: string): void };
  readonly retry?: Partial<RetryTuning>;
  readonly circuit?: Partial<CircuitTuning>;
  /** Decompressed bytes for each byte sent, once there is more than 1 MiB of them. */
  readonly decompressionRatio?: number;
  /** Opens every connection in place of undici's connector, to guard the address really connected to. */
  readonly connect?: buildConnector.connector;
  readonly connectTimeoutMs?: number;
  readonly maxOrigins?: number;
  readonly idleOriginMs?: number;
  /** How long `close` waits for calls under way, in milliseconds. */
  readonly closeGraceMs?: number;
}

const RETRY: RetryTuning = { maxRetries: 2, baseDelayMs: 100, maxDelayMs: 2000 };
const CIRCUIT: CircuitTuning = { failures: 5, openMs: 10_000 };

const CIRCUIT_OPENED = {
  all: 'upstream circuit opened',
  tenant: 'upstream circuit opened for one tenant',
};

/** The client for every upstream there is: one per process. */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { clock = systemClock, closeGraceMs = 10_000 } = options;
  const exchangeOptions: ExchangeOptions = {
    limits: { maxBytes: options.maxBytes, decompressionRatio: options.decompressionRatio ?? 100 },
    retry: { ...RETRY, ...options.retry },
    userAgent: options.userAgent ?? 'tool-gateway',
    clock,
  };
  const origins = createOrigins({
    maxOrigins: options.maxOrigins ?? 1000,
    idleOriginMs: options.idleOriginMs ?? 600_000,
    concurrencyPerOrigin: options.concurrencyPerOrigin,
    connectTimeoutMs: options.connectTimeoutMs ?? 3000,
    circuit: { ...CIRCUIT, ...options.circuit },
    onCircuitOpen: (origin, scope) => options.logger?.warn({ origin }, CIRCUIT_OPENED[scope]),
    ...(options.connect ? { connect: options.connect } : {}),
  });
  const calls = createOpenCalls();
  let closed: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await calls.drained(closeGraceMs);
    calls.interruptAll(new GatewayError('overloaded', STOPPING));
    await origins.destroy();
  }

  return {
    async send(request, options) {
      if (closed !== null) throw new GatewayError('overloaded', STOPPING);
      const interruption = new Interruption(options.deadline, options.departure);
      calls.add(interruption);
      let guard: Guard | undefined;
      try {
        interruption.check();
        const origin = origins.get(request.origin);
        guard = new Guard(origin, options.tenantId);
        if (!guard.tryEnter()) await guard.enterLater(interruption);
        interruption.check();
        guard.admit();
        const startedMs = performance.now();
        const outcome = await exchange(
          origin,
          guard,
          request,
          options,
          exchangeOptions,
          interruption,
        );
        guard.judge(outcome);
        if (outcome.error) throw outcome.error;
        const upstreamMs = performance.now() - startedMs;
        origin.latencies.add(upstreamMs);
        const contentType = headerText(outcome.headers, 'content-type');
        return { status: outcome.status, contentType, body: outcome.body, upstreamMs };
      } catch (error) {
        throw toGatewayError(error);
      } finally {
        guard?.leave();
        interruption.end();
        calls.remove(interruption);
      }
    },
    states: () =>
      origins.all().map(({ name, circuit, lanes, bulkhead, latencies }) => ({
        origin: name,
        circuit: circuit.state(lanes.all()),
        inFlight: bulkhead.inFlight(),
        p50Ms: latencies.percentileMs(0.5),
        p99Ms: latencies.percentileMs(0.99),
      })),
    close() {
      closed ??= stop();
      return closed;
    },
  };
}
