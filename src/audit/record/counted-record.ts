import type { AuditRecordsTable } from '../../platform/database/tables.ts';

/** The columns of an audit record that statistics are computed from. */
export const COUNTED_COLUMNS = [
  'audit_id',
  'timestamp_ms',
  'tenant_id',
  'api_key_id',
  'tool_id',
  'upstream_url',
  'cache_status',
  'outcome',
  'error_code',
  'duration_ms',
  'response_bytes',
] as const satisfies readonly (keyof AuditRecordsTable)[];

export type CountedRecord = Pick<AuditRecordsTable, (typeof COUNTED_COLUMNS)[number]>;
