import { AUDIT_FILTER, AUDIT_PAGE, AUDIT_RECORD, auditFilterOf } from '../../audit/operations.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { callerOf, type Route } from '../route.ts';
import { CURSOR_QUERY, LIMIT_QUERY, optionalText } from './list-query.ts';
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
        'A page ends at `limit` records or at 1 MiB, whichever comes first. A search that takes longer than 10 seconds is 503: narrow it with `from` and `to`. Request the next page with `nextCursor` until it is null. `incomplete` is present only while records of your tenant wait in this gateway for PostgreSQL; the page does not contain them.',
      query: {
        ...AUDIT_FILTER,
        tool: { type: 'string', maxLength: 200, description: 'Only calls of this tool.' },
        from: { type: 'string', format: 'date-time', description: 'At or after this time.' },
        to: { type: 'string', format: 'date-time', description: 'Before this time.' },
        limit: LIMIT_QUERY,
        cursor: CURSOR_QUERY,
      },
      responses: { 200: { description: 'A page of records.', schema: AUDIT_PAGE } },
      handle: async (request) => {
        const { tenantId } = callerOf(request);
        const filter = auditFilterOf(tenantId, request.query, parseDateTime);
        const { cursor } = optionalText(request.query, 'cursor');
        const limit = Number(request.query['limit']);
        return { status: 200, body: await store.list({ ...filter, limit, cursor }) };
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
        200: { description: 'The record.', schema: AUDIT_RECORD },
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

/** Second 60 with its fraction, before the offset. */
const LEAP_SECOND = /:60(?:\.\d+)?(?=[Zz+-])/;
/** An offset in hours only, which the schema's `date-time` accepts and `Date.parse` does not. */
const HOUR_OFFSET = /[+-]\d\d$/;

/**
 * Parses a date-time (RFC 3339) of the query parameter `name`, in milliseconds since the epoch. A leap second counts as
 * the start of the next second. Throws `invalid_request`.
 */
export function parseDateTime(name: string, text: string): number {
  const withoutLeap = text.replace(LEAP_SECOND, ':59').replace(HOUR_OFFSET, '$&:00');
  const ms = Date.parse(withoutLeap);
  if (Number.isNaN(ms)) {
    throw new GatewayError(
      'invalid_request',
      `"${name}" is not a date-time. Use a form such as 2026-11-21T09:00:00Z.`,
    );
  }
  return LEAP_SECOND.test(text) ? ms + 1000 : ms;
}
