import { lookup } from 'node:dns';
import { type buildConnector, Pool } from 'undici';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { LeftBehind } from './attempt.ts';
import { type Bulkhead, createBulkhead } from './bulkhead.ts';
import { type Circuit, type CircuitTuning, createCircuit } from './circuit.ts';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { createLatencies, type Latencies } from './latencies.ts';
import { createSharedLookup } from './shared-lookup.ts';

/** All that is kept for one upstream origin. */
export interface Origin {
  readonly name: string;
  readonly pool: Pool;
  readonly circuit: Circuit;
  readonly bulkhead: Bulkhead;
  readonly lanes: Lanes;
  readonly latencies: Latencies;
  readonly leftBehind: LeftBehind;
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: number;
}

export interface OriginOptions {
  readonly maxOrigins: number;
  /** Age at which an unused origin is forgotten, in milliseconds. */
  readonly idleOriginMs: number;
  readonly concurrencyPerOrigin: number;
  readonly connectTimeoutMs: number;
  readonly connect?: buildConnector.connector;
  readonly circuit: CircuitTuning;
  readonly onCircuitOpen: (origin: string, scope: 'all' | 'tenant') => void;
}

/** How long a connection is kept for the next request; upstreams that say otherwise in `Keep-Alive` are heard. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE_MAX_MS = 60_000;

export interface Origins {
  /** The origin of this name, made on first use. Throws what undici throws for a name that is no origin. */
  get(name: string): Origin;
  all(): readonly Origin[];
  /** Cuts every connection. */
  destroy(): Promise<void>;
}

/**
 * The origins in use. Their number is bounded, since tenants name them. No timer: unused ones are forgotten when
 * a new one arrives or when somebody asks for all, and their connections end by themselves before that.
 */
export function createOrigins(options: OriginOptions): Origins {
  const origins = new Map<string, Origin>();
  const sharedLookup = createSharedLookup(lookup);

  function forget(origin: Origin): void {
    origins.delete(origin.name);
    void origin.pool.close();
  }

  function forgetUnused(): void {
    const unusedSince = performance.now() - options.idleOriginMs;
    for (const origin of origins.values()) {
      if (isIdle(origin) && origin.lastUsedMs < unusedSince) forget(origin);
    }
  }

  /** Throws `overloaded` when all origins that there may be are in use. */
  function makeRoom(): void {
    forgetUnused();
    if (origins.size < options.maxOrigins) return;
    const idle = [...origins.values()].filter(isIdle);
    const oldest = idle.sort((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
    if (!oldest) throw tooMany();
    forget(oldest);
  }

  function open(name: string): Origin {
    makeRoom();
    const origin = createOrigin(name, { ...options, lookup: sharedLookup });
    origins.set(name, origin);
    return origin;
  }

  return {
    get(name) {
      const origin = origins.get(name) ?? open(name);
      origin.lastUsedMs = performance.now();
      return origin;
    },
    all() {
      forgetUnused();
      return [...origins.values()];
    },
    async destroy() {
      const last = [...origins.values()];
      origins.clear();
      await Promise.all(last.map((origin) => origin.pool.destroy()));
    },
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'overloaded',
    'The gateway is calling as many upstreams as it can; retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );

const monotonicMs = (): number => performance.now();

const isIdle = ({ bulkhead }: Origin): boolean => bulkhead.inFlight() === 0;

function createOrigin(name: string, options: OriginOptions & ConnectorOptions): Origin {
  return {
    name,
    pool: new Pool(name, {
      connect: createConnector(options),
      connections: options.concurrencyPerOrigin,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      allowH2: false, // see the connector; said here too, it spares the pool a trial connection
      // The call's own deadline covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
    circuit: createCircuit(options.circuit, monotonicMs, (scope) =>
      options.onCircuitOpen(name, scope),
    ),
    bulkhead: createBulkhead(options.concurrencyPerOrigin, monotonicMs),
    lanes: createLanes(),
    latencies: createLatencies(),
    leftBehind: { count: 0 },
    lastUsedMs: 0,
  };
}
