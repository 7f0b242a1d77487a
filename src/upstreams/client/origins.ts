import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type buildConnector, Pool } from 'undici';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createBulkhead, createLanes } from './bulkhead.ts';
import { type CircuitTuning, createCircuit } from './circuit.ts';
import { connectWith, recordingReuse } from './connector.ts';

/** Gives every tenant origins of its own, so that its connections and failures do not concern other tenants. */
export interface Isolation {
  readonly maxOriginsPerTenant: number;
  /** Opens the connections of one origin for one tenant. Throws if the origin may not be requested. */
  readonly connectorFor: (origin: string, tenantId: string) => buildConnector.connector;
}

export interface OriginOptions {
  readonly maxOrigins: number;
  /** How long an unused origin is remembered, in milliseconds. */
  readonly idleOriginMs: number;
  readonly concurrencyPerOrigin: number;
  readonly connect?: buildConnector.connector | undefined;
  readonly isolation?: Isolation | undefined;
  readonly circuit: CircuitTuning;
  readonly onCircuitOpen: (origin: string) => void;
  readonly onCircuitClose: (origin: string) => void;
}

/** How long an idle connection stays open, unless the upstream specifies another time in `Keep-Alive`. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE_MAX_MS = 60_000;

export type Origins = ReturnType<typeof createOrigins>;

/**
 * The origins in use. Their number is bounded, because tenants choose them. No timer: unused origins are removed when
 * a new one is created or `all` is called, and their idle connections close by themselves before that.
 */
export function createOrigins(options: OriginOptions) {
  const { isolation } = options;
  const origins = new Map<string, Origin>();
  const sharedLookup = createSharedLookup(lookup);

  const keyOf = (name: string, tenantId: string | null): string =>
    tenantId === null ? name : `${tenantId} ${name}`;

  function remove(origin: Origin): void {
    origins.delete(keyOf(origin.name, origin.tenantId));
    void origin.pool.close();
  }

  function removeUnused(): void {
    const unusedSince = performance.now() - options.idleOriginMs;
    for (const origin of origins.values()) {
      if (isIdle(origin) && origin.lastUsedMs < unusedSince) remove(origin);
    }
  }

  /** Removes the oldest idle one of these origins at the limit. Throws `overloaded` if every one is in use. */
  function makeRoom(among: readonly Origin[], limit: number): void {
    if (among.length < limit) return;
    const idle = among.filter(isIdle);
    const oldest = idle.sort((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
    if (!oldest) throw tooMany();
    remove(oldest);
  }

  function create(name: string, tenantId: string | null): Origin {
    const connect =
      isolation && tenantId !== null ? isolation.connectorFor(name, tenantId) : options.connect;
    removeUnused();
    if (isolation) {
      const ofTenant = [...origins.values()].filter((origin) => origin.tenantId === tenantId);
      makeRoom(ofTenant, isolation.maxOriginsPerTenant);
    }
    makeRoom([...origins.values()], options.maxOrigins);
    const connector = recordingReuse(connect ?? connectWith(sharedLookup));
    const origin = createOrigin({ name, tenantId }, connector, options);
    origins.set(keyOf(name, tenantId), origin);
    return origin;
  }

  return {
    /** The origin of this name, created on first use. Throws undici's error for a name that is not an origin. */
    get(name: string, tenantId: string): Origin {
      const owner = isolation ? tenantId : null;
      const origin = origins.get(keyOf(name, owner)) ?? create(name, owner);
      origin.lastUsedMs = performance.now();
      return origin;
    },
    all(): readonly Origin[] {
      removeUnused();
      return [...origins.values()];
    },
    /** Closes every connection at once. */
    async destroy(): Promise<void> {
      const remaining = [...origins.values()];
      origins.clear();
      await Promise.all(remaining.map((origin) => origin.pool.destroy()));
    },
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'overloaded',
    'The gateway is calling as many upstreams as it can. Retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );

const isIdle = ({ bulkhead }: Origin): boolean => bulkhead.inFlight() === 0;

const monotonicMs = (): number => performance.now();

export type Origin = ReturnType<typeof createOrigin>;

/** The connections, limits and statistics of one upstream origin. */
const createOrigin = (
  { name, tenantId }: { readonly name: string; readonly tenantId: string | null },
  connect: buildConnector.connector,
  options: OriginOptions,
) => ({
  name,
  /** The tenant whose calls alone use it; null if all tenants share it. */
  tenantId,
  pool: new Pool(name, {
    connect,
    connections: options.concurrencyPerOrigin,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    allowH2: false, // as in the connector; set here too, it saves the pool a trial connection
    // The deadline of the call covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  }),
  circuit: createCircuit(options.circuit, monotonicMs, {
    onOpen: () => options.onCircuitOpen(name),
    onClose: () => options.onCircuitClose(name),
  }),
  bulkhead: createBulkhead(options.concurrencyPerOrigin, monotonicMs),
  lanes: createLanes(),
  latencies: createLatencies(),
  abandoned: { count: 0 },
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: 0,
});

const CAPACITY = 512;

/** The durations of the last 512 responses of one origin, in milliseconds. Adding costs one store; sorting happens only on request. */
export function createLatencies() {
  const ring = new Float32Array(CAPACITY);
  let added = 0;
  return {
    add(durationMs: number): void {
      ring[added % CAPACITY] = durationMs;
      added += 1;
    },
    /** The duration that `share` (0 to 1) of the responses did not exceed; null before the first response. */
    percentileMs(share: number): number | null {
      const sorted = ring.slice(0, Math.min(added, CAPACITY)).sort();
      return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
    },
  };
}

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * Looks up a host name once for all concurrent requests. Node performs look-ups on two of libuv's four threads, which
 * all origins share: the connections to one slow zone must not occupy both.
 */
export function createSharedLookup(lookup: LookupFunction): LookupFunction {
  const pending = new Map<string, LookupCallback[]>();
  return (hostname, options, callback) => {
    const { family, hints, all } = options;
    const key = `${hostname} ${family} ${hints} ${all}`;
    const waiting = pending.get(key);
    if (waiting) {
      waiting.push(callback);
      return;
    }
    const callbacks = [callback];
    pending.set(key, callbacks);
    lookup(hostname, options, (...result) => {
      pending.delete(key);
      for (const each of callbacks) process.nextTick(each, ...result);
    });
  };
}
