import type { CacheStatus } from '../../cache/response-cache.ts';

export type AuditOutcome = 'ok' | 'upstream_error' | 'error';

/** One unchangeable line per call (docs/contract.md#audit-records). Already masked. */
export interface AuditRecord {
  readonly auditId: string;
  /** When the call began. */
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
}

/** A record as it is read: with what follows from it. */
export interface StoredAuditRecord extends Omit<AuditRecord, 'timestampMs'> {
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
  /** Rough size of the answer for a language model: JSON has about a token for every three bytes of UTF-8. */
  readonly responseTokens: number;
}

/** How the ledger is doing. */
export interface LedgerStats {
  /** Records accepted but not yet committed locally. */
  readonly queued: number;
  /** Records committed locally that PostgreSQL does not have yet; 0 on the embedded database. */
  readonly outbox: number;
  /** Calls that asked for a record since start. */
  readonly calls: number;
  /** Records committed since start. */
  readonly records: number;
  /** calls - records - queued: always 0, or something is wrong. */
  readonly missing: number;
  /** Calls refused before execution because the ledger could not be written. */
  readonly refused: number;
  readonly lastWriteAt: string | null;
  /** Set while the ledger cannot be written (full disk): why, in words for the operator. */
  readonly degraded: string | null;
}

/** How records get to PostgreSQL; all 0 on the embedded database. */
export interface ShippingStats {
  /** How long the oldest record that PostgreSQL does not have yet has been waiting. */
  readonly oldestWaitingSeconds: number;
  /** Records that PostgreSQL refuses, kept for the operator. */
  readonly deadLetters: number;
  /** Dead letters that gave way to newer ones since start. */
  readonly deadLettersDropped: number;
}

/** How the audit log is doing. `degraded` also tells that records do not get to PostgreSQL. */
export type AuditStats = LedgerStats & ShippingStats;

/** The audit log as the call pipeline sees it. */
export interface AuditLedger {
  /** Throws GatewayError `overloaded` while records cannot be written: the call must not be executed. */
  assertWritable(): void;
  /** Resolves once the record is committed. One commit serves every record of an event-loop turn. */
  append(record: AuditRecord): Promise<void>;
  stats(): AuditStats;
}
