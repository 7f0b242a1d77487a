import { lookup } from 'node:dns';
import { type buildConnector, Pool } from 'undici';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Connections } from './attempt.ts';
import { type Bulkhead, createBulkhead } from './bulkhead.ts';
import { type Circuit, type CircuitTuning, createCircuit } from './circuit.ts';
import { createConnector } from './connector.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { createLatencies, type Latencies } from './latencies.ts';
import { createSharedLookup } from './shared-lookup.ts';

/** The connections, limits and statistics of one upstream origin. */
export interface Origin extends Connections {
  readonly name: string;
  /** The tenant whose calls alone use it; null if all tenants share it. */
  readonly tenantId: string | null;
  readonly pool: Pool;
  readonly circuit: Circuit;
  readonly bulkhead: Bulkhead;
  readonly lanes: Lanes;
  readonly latencies: Latencies;
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: number;
}

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
  readonly connect?: buildConnector.connector;
  readonly isolation?: Isolation;
  readonly circuit: CircuitTuning;
  readonly onCircuitOpen: (origin: string, scope: 'all' | 'tenant') => void;
  readonly onCircuitClose: (origin: string) => void;
}

/** How long an idle connection stays open, unless the upstream specifies another time in `Keep-Alive`. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE_MAX_MS = 60_000;

export interface Origins {
  /** The origin of this name, created on first use. Throws undici's error for a name that is not an origin. */
  get(name: string, tenantId: string): Origin;
  all(): readonly Origin[];
  /** Closes every connection at once. */
  destroy(): Promise<void>;
}

/**
 * The origins in use. Their number is bounded, because tenants choose them. No timer: unused origins are removed when
 * a new one is created or `all` is called, and their idle connections close by themselves before that.
 */
export function createOrigins(options: OriginOptions): Origins {
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
    const connector = createConnector({ lookup: sharedLookup, ...(connect ? { connect } : {}) });
    const origin = createOrigin({ name, tenantId }, connector, options);
    origins.set(keyOf(name, tenantId), origin);
    return origin;
  }

  return {
    get(name, tenantId) {
      const owner = isolation ? tenantId : null;
      const origin = origins.get(keyOf(name, owner)) ?? create(name, owner);
      origin.lastUsedMs = performance.now();
      return origin;
    },
    all() {
      removeUnused();
      return [...origins.values()];
    },
    async destroy() {
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

const monotonicMs = (): number => performance.now();

const isIdle = ({ bulkhead }: Origin): boolean => bulkhead.inFlight() === 0;

function createOrigin(
  { name, tenantId }: Pick<Origin, 'name' | 'tenantId'>,
  connect: buildConnector.connector,
  options: OriginOptions,
): Origin {
  return {
    name,
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
      onOpen: (scope) => options.onCircuitOpen(name, scope),
      onClose: () => options.onCircuitClose(name),
    }),
    bulkhead: createBulkhead(options.concurrencyPerOrigin, monotonicMs),
    lanes: createLanes(),
    latencies: createLatencies(),
    abandoned: { count: 0 },
    lastUsedMs: 0,
  };
}
