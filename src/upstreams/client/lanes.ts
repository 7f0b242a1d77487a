import { type CircuitRecord, createCircuitRecord } from './circuit.ts';

/** What one origin knows of one tenant: its calls there, those that wait, and how they have fared. */
export interface Lane {
  readonly tenantId: string;
  inFlight: number;
  /** In order of arrival. */
  readonly waiting: WaitingCall[];
  readonly circuit: CircuitRecord;
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: number;
}

/** A call that waits for a place. */
export interface WaitingCall {
  enter(): void;
}

export interface Lanes {
  /** The lane of this tenant, made on first use. */
  of(tenantId: string, nowMs: number): Lane;
  all(): Lane[];
}

/** Tenants that one origin remembers. */
const MAX_LANES = 1000;

/**
 * The lanes of one origin. An idle one stays for the tenant's next call: a Map that entries come to and leave all the
 * time is dear (see `createOpenCalls`). Beyond the bound the tenth that was used least recently is forgotten.
 */
export function createLanes(maxLanes = MAX_LANES): Lanes {
  const lanes = new Map<string, Lane>();

  function makeRoom(): void {
    const idle = [...lanes.values()].filter(isIdle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
    for (const lane of idle.slice(0, Math.ceil(maxLanes / 10))) lanes.delete(lane.tenantId);
  }

  function open(tenantId: string): Lane {
    if (lanes.size >= maxLanes) makeRoom();
    const circuit = createCircuitRecord();
    const lane: Lane = { tenantId, inFlight: 0, waiting: [], circuit, lastUsedMs: 0 };
    lanes.set(tenantId, lane);
    return lane;
  }

  return {
    of(tenantId, nowMs) {
      const lane = lanes.get(tenantId) ?? open(tenantId);
      lane.lastUsedMs = nowMs;
      return lane;
    },
    all: () => [...lanes.values()],
  };
}

const isIdle = ({ inFlight, waiting }: Lane): boolean => inFlight === 0 && waiting.length === 0;
