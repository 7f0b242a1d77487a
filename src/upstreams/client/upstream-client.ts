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

/**
 * Sends requests to upstreams. Throws only GatewayErrors: those of the upstream group, `overloaded`, `cancelled`, or
 * `internal` for a request that cannot be sent.
 */
export interface UpstreamClient extends RequestSender, Closeable {
  /** The origins that all tenants share, and those of this tenant. */
  states(tenantId?: string): UpstreamState[];
}
