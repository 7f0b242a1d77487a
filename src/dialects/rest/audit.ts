import {
  type AuditFilter,
  CACHE_STATUSES,
  MAX_CLIENT_FILTER,
  MAX_TEXT_FILTER,
  OUTCOMES,
  UPSTREAM_CLASSES,
} from '../../audit/reading/audit-filter.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { JsonSchema } from '../../tools/model.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import { parseDateTime } from './date-time.ts';
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
        'A page ends at `limit` records or at 1 MiB, whichever comes first. With a filter, it may also end early, even without records, after about 100 ms; `searchedBackTo` is then present. Request the next page with `nextCursor` until it is null. `incomplete` is present only while records of your tenant wait in this gateway for PostgreSQL; the page does not contain them.',
      query: {
        tool: { type: 'string', maxLength: 200, description: 'Only calls of this tool.' },
        status: { enum: OUTCOMES, description: 'Only calls with this outcome.' },
        error: textQuery('Only calls that failed with this error code.'),
        upstream: textQuery('Only calls to the upstream with this host.'),
        upstreamStatus: {
          enum: UPSTREAM_CLASSES,
          description: 'Only calls to which the upstream responded with a status of this class.',
        },
        key: textQuery('Only calls with the API key that has this id.'),
        client: {
          ...textQuery('Only calls of clients whose name contains this text.'),
          maxLength: MAX_CLIENT_FILTER,
        },
        cacheStatus: { enum: CACHE_STATUSES, description: 'Only calls with this cache status.' },
        requestId: textQuery('Only the call with this request id.'),
        from: { type: 'string', format: 'date-time', description: 'At or after this time.' },
        to: { type: 'string', format: 'date-time', description: 'Before this time.' },
        limit: LIMIT_QUERY,
        cursor: CURSOR_QUERY,
      },
      responses: { 200: { description: 'A page of records.', schema: PAGE_SCHEMA } },
      handle: async (request) => {
        const page = await store.list({
          ...filterOf(request),
          limit: Number(request.query['limit']),
          cursor: optionalText(request.query, 'cursor').cursor,
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
      params: { auditId: 'The `auditId` in the result of the call.' },
      responses: { 200: { description: 'The record.', schema: RECORD_SCHEMA } },
      handle: async (request) => {
        const { tenantId } = callerOf(request);
        const record = await store.get(tenantId, request.params['auditId'] ?? '');
        if (!record) throw new GatewayError('not_found', 'No such audit record.');
        return { status: 200, body: record };
      },
    },
  ];
}

const textQuery = (description: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: MAX_TEXT_FILTER,
  description,
});

function filterOf(request: RouteRequest): AuditFilter {
  const { query } = request;
  const { tool, error, key, client, requestId, from, to, upstream, upstreamStatus } = optionalText(
    query,
    'tool',
    'error',
    'key',
    'client',
    'requestId',
    'from',
    'to',
    'upstream',
    'upstreamStatus',
  );
  return {
    tenantId: callerOf(request).tenantId,
    tool,
    error,
    client,
    requestId,
    apiKeyId: key,
    outcome: OUTCOMES.find((outcome) => outcome === query['status']),
    cacheStatus: CACHE_STATUSES.find((status) => status === query['cacheStatus']),
    upstreamHost: upstream,
    upstreamClass: upstreamStatus === undefined ? undefined : Number(upstreamStatus[0]),
    fromMs: from === undefined ? undefined : parseDateTime('from', from),
    toMs: to === undefined ? undefined : parseDateTime('to', to),
  };
}

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
        'Secrets and personal data are masked. If longer than 8,192 characters of JSON: `_truncated`, `_bytes` and as much as fits.',
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
    cause: { type: ['string', 'null'], description: 'Why there are no data, if that is known.' },
    asked: {
      type: ['object', 'null'],
      description: 'The arguments that were sent, where they differ from the given ones; masked.',
    },
    asOf: { type: ['string', 'null'], description: 'The time to which the data refer.' },
    steppedBack: { type: ['integer', 'null'] },
    sample: { type: 'boolean', description: 'Whether the sandbox made the data up.' },
  },
};

const PAGE_SCHEMA = {
  type: 'object',
  properties: {
    records: { type: 'array', items: RECORD_SCHEMA },
    nextCursor: { type: ['string', 'null'] },
    searchedBackTo: {
      type: 'string',
      format: 'date-time',
      description:
        'Present if the search ended before the page was full: no earlier record was examined.',
    },
    incomplete: {
      type: 'object',
      description: 'Present while records of your tenant wait for PostgreSQL.',
      properties: {
        waiting: { type: 'integer', description: 'Number of records; 1000 means 1000 or more.' },
        oldestWaitingAt: { type: 'string', format: 'date-time' },
      },
    },
  },
};
