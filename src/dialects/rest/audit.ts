import type { AuditStore } from '../../audit/reading/audit-store.ts';
import type { AuditOutcome } from '../../audit/record/audit-record.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { callerOf, type Route } from '../route.ts';
import { parseMoment } from './moment.ts';
import { CURSOR_QUERY, LIMIT_QUERY, optionalText } from './paging.ts';

/** `GET /api/v1/audit` and `/api/v1/audit/:auditId`: the caller's own tenant only. */
export function createAuditRoutes(store: AuditStore): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/audit',
      access: 'key',
      tag: 'Audit',
      summary: 'Audit records of your tenant, newest first',
      description:
        'A page ends at `limit` records or at 1 MiB of them, whichever comes first, but has at least one record; go on with `nextCursor` until it is null. `incomplete` is there only while records of your tenant wait in this gateway for PostgreSQL: the page lacks them.',
      query: {
        tool: { type: 'string', maxLength: 200, description: 'Only calls of this tool.' },
        status: {
          enum: ['ok', 'upstream_error', 'error'],
          description: 'Only calls with this outcome.',
        },
        from: { type: 'string', format: 'date-time', description: 'At or after this time.' },
        to: { type: 'string', format: 'date-time', description: 'Before this time.' },
        limit: LIMIT_QUERY,
        cursor: CURSOR_QUERY,
      },
      answers: { 200: { description: 'A page of records.', schema: PAGE_SCHEMA } },
      handle: async (request) => {
        const { status, limit } = request.query;
        const { tool, cursor, from, to } = optionalText(
          request.query,
          'tool',
          'cursor',
          'from',
          'to',
        );
        const page = await store.list({
          tenantId: callerOf(request).tenantId,
          limit: Number(limit),
          tool,
          cursor,
          outcome: isOutcome(status) ? status : undefined,
          fromMs: from === undefined ? undefined : parseMoment('from', from),
          toMs: to === undefined ? undefined : parseMoment('to', to),
        });
        return { status: 200, body: page };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/audit/:auditId',
      access: 'key',
      tag: 'Audit',
      summary: 'One audit record',
      params: { auditId: 'As in the result of the call.' },
      answers: { 200: { description: 'The record.', schema: RECORD_SCHEMA } },
      handle: async (request) => {
        const { tenantId } = callerOf(request);
        const record = await store.get(tenantId, request.params['auditId'] ?? '');
        if (!record) throw new GatewayError('not_found', 'There is no such audit record.');
        return { status: 200, body: record };
      },
    },
  ];
}

const OUTCOMES: readonly AuditOutcome[] = ['ok', 'upstream_error', 'error'];

const isOutcome = (value: unknown): value is AuditOutcome =>
  OUTCOMES.some((outcome) => outcome === value);

const RECORD_SCHEMA = {
  type: 'object',
  properties: {
    auditId: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
    tenantId: { type: 'string' },
    apiKeyId: { type: 'string' },
    requestId: { type: 'string' },
    dialect: { type: 'string' },
    clientName: { type: ['string', 'null'] },
    tool: { type: 'string' },
    toolId: { type: 'string' },
    arguments: {
      type: 'object',
      description:
        'Secrets and personal data are masked. Beyond 8,192 characters of JSON: `_truncated`, `_bytes` and what fits.',
    },
    upstream: {
      type: 'object',
      properties: {
        method: { type: 'string' },
        url: { type: ['string', 'null'] },
        status: { type: ['integer', 'null'] },
      },
    },
    cacheStatus: { type: ['string', 'null'] },
    publicData: { type: ['object', 'null'] },
    outcome: { enum: ['ok', 'upstream_error', 'error'] },
    error: { type: ['object', 'null'] },
    durationMs: { type: 'number' },
    upstreamMs: { type: ['number', 'null'] },
    responseBytes: { type: 'integer' },
    responseTokens: { type: 'integer', description: 'Estimate for a language model.' },
    clientIp: { type: 'string' },
  },
};

const PAGE_SCHEMA = {
  type: 'object',
  properties: {
    records: { type: 'array', items: RECORD_SCHEMA },
    nextCursor: { type: ['string', 'null'] },
    incomplete: {
      type: 'object',
      description: 'Present while records of your tenant wait for PostgreSQL.',
      properties: {
        waiting: { type: 'integer', description: 'How many; 1000 means that many or more.' },
        oldestWaitingAt: { type: 'string', format: 'date-time' },
      },
    },
  },
};
