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
  /** Version of the topic `api_keys` in `changes` that the latest change made; null while there was none. */
  changed_version: number | null;
}

/** One counter per topic, raised in the transaction that changes something, so that replicas notice by reading one row. */
export interface ChangesTable {
  topic: 'api_keys';
  version: number;
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

export interface Tables {
  tenants: TenantsTable;
  api_keys: ApiKeysTable;
  changes: ChangesTable;
  audit_records: AuditRecordsTable;
}
