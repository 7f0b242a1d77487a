import type { MemoryHold } from '../platform/kernel/byte-budget.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { Cause } from '../platform/kernel/cause.ts';
import type { GatewayError } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { CacheResult } from '../upstreams/cache/response-cache.ts';
import type { ResultForm } from './choose-rows.ts';
import type { PageArguments } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { Provenance } from './provenance.ts';
import type { ResultFile } from './results/result-store.ts';
import type { ShownRows } from './view/table.ts';

/** A request to run a tool, independent of the dialect. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** What is shown of rows unless the arguments say otherwise; by default, the payload. */
  readonly shows?: ResultForm;
  /** The only client stream that receives the event of this call; if absent, all streams of the tenant. */
  readonly clientId?: string | undefined;
  /** `_meta.traceparent`, unchecked. */
  readonly traceparent?: string | undefined;
  /** Of a request within another call: the id of that call's audit record. */
  readonly partOf?: string;
  /** Whether a response in the cache must not be used. */
  readonly refreshes?: boolean;
  /** Told how many units of a range have ended. */
  readonly onProgress?: ((ended: number, units: number) => void) | undefined;
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
  /** The header `traceparent`, unchecked. */
  readonly traceparent?: string | undefined;
  /** The memory budget that a large response holds until it has been sent; created on demand. */
  readonly memory: () => MemoryHold;
}

/** How many rows an answer has, and how to get the others. */
export interface RowCount {
  readonly returned: number;
  /** Rows of the response that `_limit` leaves out. */
  readonly omitted: number;
  /** Number of rows that the upstream has in all; null if it does not say. */
  readonly total: number | null;
  /** The arguments to change for more rows; null if all are returned, or if nothing says how to ask for others. */
  readonly next: PageArguments | null;
  /** Nothing says whether rows follow, or how to ask for them. */
  readonly isOpen?: true;
  /** The same in words, or that the page is beyond the last; absent if all are returned. */
  readonly hint?: string;
  /** The file with all rows, where it was asked for or a text was cut. */
  readonly link?: ResultLink;
}

/** Addresses that open the file of an answer without an API key, in each format. */
export interface ResultLink {
  readonly csv: string;
  readonly ndjson: string;
  readonly json: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** How much of a range came (docs/contract.md#a-range-in-one-call). */
export interface RangeCount {
  /** Whether every unit came whole. */
  readonly complete: boolean;
  readonly units: {
    /** Units that came whole. */
    readonly done: number;
    readonly total: number;
    readonly failed: number;
    /** The first units that failed, with what varies and why; absent if none failed. */
    readonly failures?: readonly UnitFailure[];
  };
}

export interface UnitFailure {
  readonly unit: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

/** What an answer is: rows or another good response, a good response without data, or a failure. */
export type AnswerKind = 'ok' | 'no_data' | 'failed';

/** What a call came to: the upstream responded, well or badly. */
export interface CallOutcome extends CacheResult {
  readonly entry: CatalogEntry;
  readonly auditId: string;
  /** The status is 400 or above, or the payload reports a failure. */
  readonly isError: boolean;
  readonly kind: AnswerKind;
  /** Why there are no rows, or why it failed; null for `ok`. */
  readonly cause: Cause | null;
  /** Undefined for a response without rows. */
  readonly rows: RowCount | undefined;
  /** Why the caller's choice of rows had no effect; undefined if it had. */
  readonly unreduced: string | undefined;
  /** Of a call with `_over`. */
  readonly range?: RangeCount;
  /** `_where` as it was given; undefined without it. */
  readonly where: unknown;
  /** The rows as a table, where it was asked for and there are rows. */
  readonly table: ShownRows | null;
  readonly provenance: Provenance;
  /** The response with all its rows, and the call that it answers. */
  readonly answered?: { readonly prepared: PreparedCall; readonly result: CacheResult };
  /** Of a range with few rows: all of them, with all columns. */
  readonly gathered?: Pick<ShownRows, 'columns' | 'rows'>;
  /** All rows, where they were kept as they arrived. */
  readonly file?: ResultFile;
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

/** The outcome of a call, or its failure if a record was begun. Rejects with any other error. */
export const toResult = (calling: Promise<CallOutcome>): Promise<CallOutcome | CallFailure> =>
  calling.catch((error: unknown) => {
    if (error instanceof CallFailure) return error;
    throw error;
  });
