import type { AuditRecordsTable } from '../database/tables.ts';
import type { AuditRecord, StoredAuditRecord } from './audit-record.ts';

/** A record as the table holds it, in the table's order of columns. */
export function toRow(record: AuditRecord): AuditRecordsTable {
  return {
    audit_id: record.auditId,
    timestamp_ms: record.timestampMs,
    tenant_id: record.tenantId,
    api_key_id: record.apiKeyId,
    request_id: storable(record.requestId),
    dialect: record.dialect,
    client_name: storable(record.clientName),
    tool: record.tool,
    tool_id: record.toolId,
    arguments: JSON.stringify(record.arguments),
    upstream_method: record.upstream.method,
    upstream_url: storable(record.upstream.url),
    upstream_status: record.upstream.status,
    cache_status: record.cacheStatus,
    public_data_code: storable(record.publicData?.code ?? null),
    public_data_message: storable(record.publicData?.message ?? null),
    outcome: record.outcome,
    error_code: record.error?.code ?? null,
    error_message: storable(record.error?.message ?? null),
    duration_ms: record.durationMs,
    upstream_ms: record.upstreamMs,
    response_bytes: record.responseBytes,
    client_ip: storable(record.clientIp),
  };
}

/** PostgreSQL's text cannot hold the character NUL, which callers and upstreams may send. */
function storable<T extends string | null>(text: T): T | string {
  return text?.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

const BYTES_A_TOKEN = 3;

export function toRecord(row: AuditRecordsTable): StoredAuditRecord {
  return {
    auditId: row.audit_id,
    timestamp: new Date(row.timestamp_ms).toISOString(),
    tenantId: row.tenant_id,
    apiKeyId: row.api_key_id,
    requestId: row.request_id,
    dialect: row.dialect,
    clientName: row.client_name,
    tool: row.tool,
    toolId: row.tool_id,
    arguments: JSON.parse(row.arguments),
    upstream: { method: row.upstream_method, url: row.upstream_url, status: row.upstream_status },
    cacheStatus: row.cache_status,
    publicData:
      row.public_data_code === null
        ? null
        : { code: row.public_data_code, message: row.public_data_message ?? '' },
    outcome: row.outcome,
    error:
      row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    durationMs: row.duration_ms,
    upstreamMs: row.upstream_ms,
    responseBytes: row.response_bytes,
    responseTokens: Math.ceil(row.response_bytes / BYTES_A_TOKEN),
    clientIp: row.client_ip,
  };
}
