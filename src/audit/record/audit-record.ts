import type { Cause } from '../../platform/kernel/cause.ts';
import type { GatewayError } from '../../platform/kernel/error.ts';
import type { CacheStatus } from '../../platform/kernel/http-names.ts';

export type AuditOutcome = 'ok' | 'upstream_error' | 'error';

/** The immutable record of one call (docs/contract.md#audit-records). Already masked. */
export interface AuditRecord {
  readonly auditId: string;
  /** When the call started. */
  readonly timestampMs: number;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly dialect: string;
  readonly clientName: string | null;
  readonly tool: string;
  readonly toolId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly upstream: {
    readonly method: string;
    readonly url: string | null;
    readonly status: number | null;
  };
  readonly cacheStatus: CacheStatus | null;
  readonly publicData: { readonly code: string; readonly message: string } | null;
  readonly outcome: AuditOutcome;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly durationMs: number;
  readonly upstreamMs: number | null;
  readonly responseBytes: number;
  readonly clientIp: string;
  /** Why there are no rows, or why it failed, if that is known. */
  readonly cause: Cause | null;
  /** The arguments that were sent, with defaults; null if they are those that were given. */
  readonly asked: Readonly<Record<string, unknown>> | null;
  /** The time to which the data refer, in ISO 8601. */
  readonly asOf: string | null;
  /** How many publications the answer lies before the latest. */
  readonly steppedBack: number | null;
  /** Whether the sandbox made the data up. */
  readonly sample: boolean;
  /** Of a request within a call with `_over`: the id of that call's record. */
  readonly partOf: string | null;
}

/** A record as it is read, with derived members. */
export interface StoredAuditRecord extends Omit<AuditRecord, 'timestampMs'> {
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
  /** Approximate size of the response for a language model: JSON has about one token per three bytes of UTF-8. */
  readonly responseTokens: number;
}

/** The state of the ledger. */
export interface LedgerStats {
  /** Records accepted but not yet committed to `audit.db`. */
  readonly queued: number;
  /** Records committed but not yet shipped to PostgreSQL; 0 on the embedded database. */
  readonly outbox: number;
  /** Calls that appended a record since start. */
  readonly calls: number;
  /** Records committed since start. */
  readonly records: number;
  /** calls - records - queued. Anything but 0 means that records were lost. */
  readonly missing: number;
  /** Calls refused before execution because records could not be written. */
  readonly refused: number;
  readonly lastWriteAt: string | null;
  /** Why records cannot be written, in words for the operator; null while they can. */
  readonly degraded: string | null;
}

/** The state of shipping; all 0 on the embedded database. */
export interface ShippingStats {
  /** How long the oldest record has been waiting to be shipped. */
  readonly oldestWaitingSeconds: number;
  /** Records that PostgreSQL refused, stored for the operator. */
  readonly deadLetters: number;
  /** Dead letters that were replaced by newer ones since start. */
  readonly deadLettersDropped: number;
}

/** The state of the audit log. `degraded` also reports that records do not reach PostgreSQL. */
export type AuditStats = LedgerStats & ShippingStats;

/** Records that could not be stored although others of the same commit could, by audit id: why. */
export type Unstored = ReadonlyMap<string, GatewayError>;

/** The audit log as the call pipeline sees it. */
export interface AuditLedger {
  /** Throws GatewayError `overloaded` while records cannot be written: the call must not be executed. */
  assertWritable(): void;
  /** Whether `assertWritable` would not throw; counts no refused call. */
  isWritable(): boolean;
  /**
   * The records of an event-loop turn share one commit and one promise, which saves each call four objects. Resolves once
   * they are committed, with those that could not be stored, if any. Rejects with `overloaded` if none could, and with
   * `internal` for a record that cannot be written down.
   */
  append(record: AuditRecord): Promise<Unstored | undefined>;
  stats(): AuditStats;
}
