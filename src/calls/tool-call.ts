import type { Caller } from '../access/keys/caller.ts';
import type { CacheResult } from '../cache/response-cache.ts';
import type { Lease } from '../platform/kernel/byte-budget.ts';
import type { Departure } from '../platform/kernel/departure.ts';
import type { GatewayError } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';

/** One request to run a tool, whatever dialect it came in. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The client stream that the event of this call is for; all of the tenant's when absent. */
  readonly clientId?: string | undefined;
  /** When the caller goes away or cancels; asked for only by a call that has to wait for its upstream. */
  readonly departure?: (() => Departure) | undefined;
}

/** Who calls, and from where. */
export interface CallContext {
  readonly caller: Caller;
  readonly requestId: string;
  readonly dialect: string;
  readonly clientName: string | null;
  readonly clientIp: string;
  /** What this caller's answer holds of the memory budget until it has left; asked for only by what is large. */
  readonly lease: () => Lease;
}

/** What `_fields` and `_limit` left of an answer's rows. */
export interface ShownRows {
  readonly returned: number;
  readonly omitted: number;
  /** Rows the upstream has in all, where it says so. */
  readonly total: number | null;
  /** How to get the rest; absent when nothing is missing. */
  readonly hint?: string;
}

/** An upstream responded, whatever it said. */
export interface CallOutcome extends CacheResult {
  readonly entry: CatalogEntry;
  readonly auditId: string;
  /** Status 400 and above, or a payload that says it failed. */
  readonly isError: boolean;
  /** Where the caller asked for some of the rows only. */
  readonly shownRows: ShownRows | undefined;
}

/** A call of a known tool that got no answer: the error, and the record that was written of it. */
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
