import type { Caller } from '../access/keys/caller.ts';
import type { CacheResult } from '../cache/response-cache.ts';
import type { Lease } from '../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { GatewayError } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';

/** A request to run a tool, independent of the dialect. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The only client stream that receives the event of this call; if absent, all streams of the tenant. */
  readonly clientId?: string | undefined;
  /** Created on demand, for calls that wait for their upstream. */
  readonly cancellation?: (() => Cancellation) | undefined;
}

/** Who makes a call, and from where. */
export interface CallContext {
  readonly caller: Caller;
  readonly requestId: string;
  readonly dialect: string;
  readonly clientName: string | null;
  readonly clientIp: string;
  /** The memory budget that a large response holds until it has been sent; created on demand. */
  readonly lease: () => Lease;
}

/** How many rows remain after `_fields` and `_limit`. */
export interface ShownRows {
  readonly returned: number;
  readonly omitted: number;
  /** Total number of rows at the upstream, if it reports one. */
  readonly total: number | null;
  /** How to get the remaining rows; absent if all are returned. */
  readonly hint?: string;
}

/** What a call came to: the upstream responded, well or badly. */
export interface CallOutcome extends CacheResult {
  readonly entry: CatalogEntry;
  readonly auditId: string;
  /** The status is 400 or above, or the payload reports a failure. */
  readonly isError: boolean;
  /** Set if the caller chose some of the rows. */
  readonly shownRows: ShownRows | undefined;
}

/** The failure of a call of a known tool: its error, and the id of its audit record. */
export class CallFailure extends Error {
  readonly auditId: string;
  readonly tool: string;
  readonly error: GatewayError;

  constructor(auditId: string, tool: string, error: GatewayError) {
    super(error.message, { cause: error });
    this.auditId = auditId;
    this.tool = tool;
    this.error = error;
  }
}
