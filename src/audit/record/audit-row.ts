import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { AuditRecord, StoredAuditRecord } from './audit-record.ts';
import { COLUMN_CAPS, fitArguments, fitText } from './fit-column.ts';

/** The columns of a record, in the order of `toRow`. */
export const RECORD_COLUMNS = [
  'audit_id',
  'timestamp_ms',
  'tenant_id',
  'api_key_id',
  'request_id',
  'dialect',
  'client_name',
  'tool',
  'tool_id',
  'arguments',
  'upstream_method',
  'upstream_url',
  'upstream_status',
  'cache_status',
  'public_data_code',
  'public_data_message',
  'outcome',
  'error_code',
  'error_message',
  'duration_ms',
  'upstream_ms',
  'response_bytes',
  'client_ip',
  'cause',
  'answer',
] as const satisfies readonly (keyof AuditRecordsTable)[];

/** A record as a row of the table, in the order of the columns, each within its cap. */
export function toRow(record: AuditRecord): AuditRecordsTable {
  return {
    audit_id: record.auditId,
    timestamp_ms: record.timestampMs,
    tenant_id: record.tenantId,
    api_key_id: record.apiKeyId,
    request_id: fitText(record.requestId, COLUMN_CAPS.request_id),
    dialect: record.dialect,
    client_name: fitText(record.clientName, COLUMN_CAPS.client_name),
    tool: fitText(record.tool, COLUMN_CAPS.tool),
    tool_id: fitText(record.toolId, COLUMN_CAPS.tool_id),
    arguments: fitArguments(record.arguments),
    upstream_method: record.upstream.method,
    upstream_url: fitText(record.upstream.url, COLUMN_CAPS.upstream_url),
    upstream_status: record.upstream.status,
    cache_status: record.cacheStatus,
    public_data_code: fitText(record.publicData?.code ?? null, COLUMN_CAPS.public_data_code),
    public_data_message: fitText(
      record.publicData?.message ?? null,
      COLUMN_CAPS.public_data_message,
    ),
    outcome: record.outcome,
    error_code: record.error?.code ?? null,
    error_message: fitText(record.error?.message ?? null, COLUMN_CAPS.error_message),
    duration_ms: record.durationMs,
    upstream_ms: record.upstreamMs,
    response_bytes: record.responseBytes,
    client_ip: fitText(record.clientIp, COLUMN_CAPS.client_ip),
    cause: record.cause,
    answer: answerOf(record),
  };
}

/** What the arguments do not show of an answer; most calls of tools without computed defaults have nothing of it. */
function answerOf({ asked, asOf, steppedBack, sample, partOf }: AuditRecord): string | null {
  const isPlain = asked === null && asOf === null && steppedBack === null && partOf === null;
  if (isPlain && !sample) return null;
  const arguments_ = asked === null ? '' : `,"asked":${fitArguments(asked)}`;
  const part = partOf === null ? '' : `,"partOf":"${partOf}"`;
  return `{"asOf":${JSON.stringify(asOf)},"steppedBack":${steppedBack},"sample":${sample}${part}${arguments_}}`;
}

const BYTES_PER_TOKEN = 3;
const NO_ANSWER = { asked: null, asOf: null, steppedBack: null, sample: false, partOf: null };

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
    responseTokens: Math.ceil(row.response_bytes / BYTES_PER_TOKEN),
    clientIp: row.client_ip,
    cause: row.cause,
    ...NO_ANSWER,
    ...(row.answer === null ? {} : JSON.parse(row.answer)),
  };
}
