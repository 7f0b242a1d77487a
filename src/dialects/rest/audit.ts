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
import {
  BOOLEAN,
  component,
  FREE_OBJECT,
  FREE_OBJECT_OR_NULL,
  INTEGER,
  NEXT_CURSOR,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from '../json-rpc/component.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import { parseDateTime } from './date-time.ts';
import { CURSOR_QUERY, LIMIT_QUERY, optionalText } from './paging.ts';
import { refusal } from './refusals.ts';

/** `GET /api/v1/audit` and `/api/v1/audit/:auditId`: the caller's own tenant only. */
export function createAuditRoutes(store: AuditStore): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/audit',
      operation: 'listAuditRecords',
      access: 'key',
      needsNoTools: true,
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
      operation: 'getAuditRecord',
      access: 'key',
      needsNoTools: true,
      tag: 'Audit',
      summary: 'One audit record',
      params: { auditId: 'The `auditId` in the result of the call.' },
      responses: {
        200: { description: 'The record.', schema: RECORD_SCHEMA },
        404: refusal('Your tenant has no audit record with this id.'),
      },
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

const RECORD_SCHEMA = component('AuditRecord', {
  auditId: TEXT,
  timestamp: TIME,
  tenantId: TEXT,
  apiKeyId: TEXT,
  requestId: TEXT,
  dialect: TEXT,
  clientName: TEXT_OR_NULL,
  tool: TEXT,
  toolId: TEXT,
  arguments: {
    ...FREE_OBJECT,
    description:
      'Secrets and personal data are masked. If longer than 8,192 characters of JSON: `_truncated`, `_bytes` and as much as fits.',
  },
  upstream: component('AuditedRequest', {
    method: TEXT,
    url: TEXT_OR_NULL,
    status: { type: ['integer', 'null'] },
  }),
  cacheStatus: TEXT_OR_NULL,
  publicData: FREE_OBJECT_OR_NULL,
  outcome: { enum: OUTCOMES },
  error: FREE_OBJECT_OR_NULL,
  durationMs: { type: 'number' },
  upstreamMs: { type: ['number', 'null'] },
  responseBytes: INTEGER,
  responseTokens: { ...INTEGER, description: 'Estimate for a language model.' },
  clientIp: TEXT,
  cause: { ...TEXT_OR_NULL, description: 'Why there are no data, if that is known.' },
  asked: {
    ...FREE_OBJECT_OR_NULL,
    description: 'The arguments that were sent, where they differ from the given ones; masked.',
  },
  asOf: { ...TEXT_OR_NULL, description: 'The time to which the data refer.' },
  steppedBack: { type: ['integer', 'null'] },
  sample: { ...BOOLEAN, description: 'Whether the sandbox made the data up.' },
});

const PAGE_SCHEMA = component(
  'AuditRecordPage',
  {
    records: { type: 'array', items: RECORD_SCHEMA },
    nextCursor: NEXT_CURSOR,
    searchedBackTo: {
      ...TIME,
      description:
        'Present if the search ended before the page was full: no earlier record was examined.',
    },
    incomplete: {
      type: 'object',
      description: 'Present while records of your tenant wait for PostgreSQL.',
      properties: {
        waiting: { ...INTEGER, description: 'Number of records; 1000 means 1000 or more.' },
        oldestWaitingAt: TIME,
      },
    },
  },
  ['searchedBackTo', 'incomplete'],
);
