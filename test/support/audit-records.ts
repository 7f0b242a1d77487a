import { ulid } from 'ulid';
import type { AuditRecord, StoredAuditRecord } from '../../src/audit/record/audit-record.ts';

/** An audit record of a successful call at that time, which its id also contains. */
export function makeRecord(change: Partial<AuditRecord> = {}, atMs = Date.now()): AuditRecord {
  return {
    auditId: `aud_${ulid(atMs)}`,
    timestampMs: atMs,
    tenantId: 'ten_a',
    apiKeyId: 'key_a',
    requestId: 'req_a',
    dialect: 'plain',
    clientName: null,
    tool: 'getultrasrtncst',
    toolId: 'weather.kma-short-forecast.getultrasrtncst',
    arguments: { base_date: '20261121', nx: 60, name: '서울' },
    upstream: { method: 'GET', url: 'https://example.com/?key=REDACTED', status: 200 },
    cacheStatus: 'MISS',
    publicData: { code: '00', message: 'OK' },
    outcome: 'ok',
    error: null,
    durationMs: 12.345,
    upstreamMs: 10.5,
    responseBytes: 2345,
    clientIp: '127.0.0.1',
    cause: null,
    asked: null,
    asOf: null,
    steppedBack: null,
    sample: false,
    partOf: null,
    ...change,
  };
}

/** The record as read back. */
export const asStored = ({ timestampMs, ...record }: AuditRecord): StoredAuditRecord => ({
  ...record,
  timestamp: new Date(timestampMs).toISOString(),
  responseTokens: Math.ceil(record.responseBytes / 3),
});
