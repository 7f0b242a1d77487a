import { csvRow } from '../../platform/kernel/csv-row.ts';
import type { StoredAuditRecord } from '../record/audit-record.ts';

type Column = (record: StoredAuditRecord) => string | number | null;

const COLUMNS: Readonly<Record<string, Column>> = {
  auditId: (record) => record.auditId,
  timestamp: (record) => record.timestamp,
  tenantId: (record) => record.tenantId,
  apiKeyId: (record) => record.apiKeyId,
  requestId: (record) => record.requestId,
  dialect: (record) => record.dialect,
  clientName: (record) => record.clientName,
  tool: (record) => record.tool,
  toolId: (record) => record.toolId,
  arguments: (record) => JSON.stringify(record.arguments),
  upstreamMethod: (record) => record.upstream.method,
  upstreamUrl: (record) => record.upstream.url,
  upstreamStatus: (record) => record.upstream.status,
  cacheStatus: (record) => record.cacheStatus,
  publicDataCode: (record) => record.publicData?.code ?? null,
  publicDataMessage: (record) => record.publicData?.message ?? null,
  outcome: (record) => record.outcome,
  errorCode: (record) => record.error?.code ?? null,
  errorMessage: (record) => record.error?.message ?? null,
  durationMs: (record) => record.durationMs,
  upstreamMs: (record) => record.upstreamMs,
  responseBytes: (record) => record.responseBytes,
  responseTokens: (record) => record.responseTokens,
  clientIp: (record) => record.clientIp,
  cause: (record) => record.cause,
  asked: (record) => record.asked && JSON.stringify(record.asked),
  asOf: (record) => record.asOf,
  steppedBack: (record) => record.steppedBack,
  sample: (record) => String(record.sample),
};

const BYTE_ORDER_MARK = '\uFEFF';

/** The first line, after the mark by which spreadsheets recognise UTF-8. */
export const csvHeading = (): string => `${BYTE_ORDER_MARK}${csvRow(Object.keys(COLUMNS))}`;

export const csvRecord = (record: StoredAuditRecord): string =>
  csvRow(Object.values(COLUMNS).map((column) => String(column(record) ?? '')));
