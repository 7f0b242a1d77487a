import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { RequestSender } from '../../tools/tool-connection.ts';

/** What `/health/detailed` reports about one origin. */
export interface UpstreamState {
  readonly origin: string;
  readonly circuit: 'closed' | 'open' | 'half_open';
  readonly inFlight: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** What one origin carries now, for the metrics. */
export interface UpstreamLoad {
  readonly origin: string;
  readonly circuit: UpstreamState['circuit'];
  readonly inFlight: number;
  /** Calls that wait for a slot. */
  readonly waiting: number;
}

/**
 * Sends requests to upstreams. Throws only GatewayErrors: those of the upstream group, `overloaded`, `cancelled`, or
 * `internal` for a request that cannot be sent.
 */
export interface UpstreamClient extends RequestSender, Closeable {
  /** The origins that all tenants share, and those of this tenant. */
  states(tenantId?: string): UpstreamState[];
  /** All origins, those of every tenant included. */
  loads(): UpstreamLoad[];
  /** How often a circuit has opened since the start. */
  circuitsOpened(): number;
}
