import { type CircuitRecord, createCircuitRecord } from './circuit.ts';

/** What one origin records about one tenant: its calls in flight, its waiting calls, and its failures. */
export interface Lane {
  readonly tenantId: string;
  inFlight: number;
  /** In order of arrival. */
  readonly waiting: WaitingCall[];
  readonly circuit: CircuitRecord;
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: number;
}

/** A call that waits for a slot. */
export interface WaitingCall {
  /** Continues the call, which now has a slot. */
  enter(): void;
}

export interface Lanes {
  /** The lane of this tenant, created on first use. */
  of(tenantId: string, nowMs: number): Lane;
  all(): Lane[];
}

/** Tenants that one origin remembers. */
const MAX_LANES = 1000;

/** Lanes that are removed together, so that the sorting is rare. */
const EVICTED_LANES = 100;

/**
 * The lanes of one origin. An idle lane stays for the tenant's next call: a Map with constant adding and deleting is
 * expensive (see `createOpenCalls`). At the limit, the idle lanes used least recently are removed.
 */
export function createLanes(): Lanes {
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
    of(tenantId, nowMs) {
      const lane = lanes.get(tenantId) ?? create(tenantId);
      lane.lastUsedMs = nowMs;
      return lane;
    },
    all: () => [...lanes.values()],
  };
}

const isIdle = ({ inFlight, waiting }: Lane): boolean => inFlight === 0 && waiting.length === 0;
