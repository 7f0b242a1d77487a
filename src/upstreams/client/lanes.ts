import { type CircuitRecord, createCircuitRecord } from './circuit.ts';

/** What one origin records about one tenant: its calls in flight, its waiting calls, and its failures. */
export interface Lane {
  readonly tenantId: string;
  inFlight: number;
  /** How to continue its calls that wait for a slot, in order of arrival. */
  readonly waiting: (() => void)[];
  readonly circuit: CircuitRecord;
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: number;
}

/** Tenants that one origin remembers. */
const MAX_LANES = 1000;

/** Lanes that are removed together, so that the sorting is rare. */
const EVICTED_LANES = 100;

/**
 * The lanes of one origin. An idle lane stays for the tenant's next call: a Map with constant adding and deleting is
 * expensive (see `createOpenCalls` in create-upstream-client.ts). At the limit, the idle lanes used least recently are
 * removed.
 */
export function createLanes() {
  const lanes = new Map<string, Lane>();

  function evict(): void {
    const idle = [...lanes.values()].filter(isIdle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
    for (const lane of idle.slice(0, EVICTED_LANES)) lanes.delete(lane.tenantId);
  }

  function create(tenantId: string): Lane {
    if (lanes.size >= MAX_LANES) evict();
    const circuit = createCircuitRecord();
    const lane: Lane = { tenantId, inFlight: 0, waiting: [], circuit, lastUsedMs: 0 };
    lanes.set(tenantId, lane);
    return lane;
  }

  return {
    /** The lane of this tenant, created on first use. */
    of(tenantId: string, nowMs: number): Lane {
      const lane = lanes.get(tenantId) ?? create(tenantId);
      lane.lastUsedMs = nowMs;
      return lane;
    },
    all: () => [...lanes.values()],
  };
}

const isIdle = ({ inFlight, waiting }: Lane): boolean => inFlight === 0 && waiting.length === 0;
