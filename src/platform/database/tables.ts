import type { Generated } from 'kysely';

/**
 * Row types of every table. Column types are those that SQLite and PostgreSQL store, sort and return alike: text ids,
 * JSON as text, and moments as bigint milliseconds (exact, 8 bytes in an index, compared without regard to collation).
 */

export interface TenantsTable {
  id: string;
  slug: string;
  name: string;
  created_at_ms: number;
}

export interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  /** First characters of the key's text, to recognise it by. */
  prefix: string;
  /** SHA-256 of the key's text, in lower-case hex. */
  hash: string;
  /** JSON array of tool names; null = all. */
  allowed_tools: string | null;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  /** Version of the topic `api_keys` in `changes` that the latest change made, creation included. */
  changed_version: number | null;
  /** The version that its creation made; null for a key that is older than this column. */
  created_version: number | null;
}

/** One counter per topic, raised in the transaction that changes something, so that replicas notice by reading one row. */
export interface ChangesTable {
  topic: 'api_keys';
  version: number;
}

/** One row per administrative change. */
export interface AdminEventsTable {
  id: string;
  timestamp_ms: number;
  /** Null for what concerns every tenant. */
  tenant_id: string | null;
  actor: string;
  action: string;
  subject_id: string;
  /** JSON object. */
  details: string;
}

/** One row per audit record; on the embedded database it is in a file of its own. */
export interface AuditRecordsTable {
  audit_id: string;
  timestamp_ms: number;
  tenant_id: string;
  api_key_id: string;
  request_id: string;
  dialect: string;
  client_name: string | null;
  tool: string;
  tool_id: string;
  /** JSON object. */
  arguments: string;
  upstream_method: string;
  upstream_url: string | null;
  upstream_status: number | null;
  cache_status: 'HIT' | 'MISS' | 'COALESCED' | 'STALE' | 'BYPASS' | null;
  public_data_code: string | null;
  public_data_message: string | null;
  outcome: 'ok' | 'upstream_error' | 'error';
  error_code: string | null;
  error_message: string | null;
  duration_ms: number;
  upstream_ms: number | null;
  response_bytes: number;
  client_ip: string;
}

/** One row per record that PostgreSQL refuses; in `audit.db` only. */
export interface AuditDeadLettersTable {
  id: Generated<number>;
  /** The table that the row was for. */
  source: string;
  /** JSON object of the row's columns, long texts cut. */
  row: string;
  reason: string;
  buried_at_ms: number;
}

/** One row per commit of records, anchor or sweep; each names the one before it by its hash. */
export interface AuditLinksTable {
  /** Of whose chain: one per audit.db. */
  origin: string;
  /** From 1, without a gap. */
  seq: number;
  kind: 'records' | 'anchor' | 'sweep';
  made_at_ms: number;
  record_count: number;
  /** Of this chain up to here. */
  records_total: number;
  /** Of `records`: the audit ids in the order of `records_hash`, separated by spaces. Of `sweep`: a JSON object. */
  detail: string;
  /** SHA-256 of the records in base64url; empty where there are none. */
  records_hash: string;
  /** `hash` of the link before; empty for the first. */
  prev_hash: string;
  /** SHA-256 of all the other columns, in base64url. */
  hash: string;
}

/** How far old records have been deleted; one row. */
export interface AuditSweepsTable {
  id: number;
  /** Records made before this moment have been deleted; null while there was no sweep. */
  swept_before_ms: number | null;
  /** When a refused sweep last went on by a day's worth. */
  stepped_at_ms: number | null;
  /** Up to where an operator has allowed to delete at once. */
  approved_before_ms: number | null;
}

export interface Tables {
  tenants: TenantsTable;
  api_keys: ApiKeysTable;
  changes: ChangesTable;
  admin_events: AdminEventsTable;
  audit_records: AuditRecordsTable;
  audit_dead_letters: AuditDeadLettersTable;
  audit_links: AuditLinksTable;
  audit_sweeps: AuditSweepsTable;
}
