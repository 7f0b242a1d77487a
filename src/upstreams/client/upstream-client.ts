import type { ByteSource } from '../../platform/kernel/byte-budget.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { Deadline } from '../../platform/kernel/deadline.ts';
import type { Departure } from '../../platform/kernel/departure.ts';
import type { UpstreamRequest } from '../../tools/model.ts';

/** A complete answer of an upstream, whatever its status, decompressed. */
export interface RawResponse {
  readonly status: number;
  /** `content-type` as sent, or an empty string. */
  readonly contentType: string;
  readonly body: Buffer;
  /** From the first byte sent to the last byte read, retries included, in milliseconds. */
  readonly upstreamMs: number;
}

export interface SendOptions {
  readonly deadline: Deadline;
  /** Whose share of the origin's places the call takes. */
  readonly tenantId: string;
  /** When the caller goes away or cancels. */
  readonly departure?: Departure | undefined;
  /** May this request be sent twice? True for GET and HEAD, and for a POST that only queries. */
  readonly idempotent: boolean;
  /** Asked once the answer is no longer small. */
  readonly memory: ByteSource;
}

/** What `/health/detailed` says of one origin. */
export interface UpstreamState {
  readonly origin: string;
  readonly circuit: 'closed' | 'open' | 'half_open';
  readonly inFlight: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/**
 * Sends requests to upstreams. Throws only GatewayErrors: of the upstream group, `overloaded`, `cancelled`, or
 * `internal` for a request that cannot be put on the wire.
 */
export interface UpstreamClient extends Closeable {
  send(request: UpstreamRequest, options: SendOptions): Promise<RawResponse>;
  states(): UpstreamState[];
}
