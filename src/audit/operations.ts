import { type Static, type TObject, Type } from 'typebox';
import { operatorOperation, tenantOperation } from '../platform/input/operation.ts';
import {
  INTEGER,
  list,
  NEXT_CURSOR,
  optionalTime,
  orNull,
  recordOf,
  TEXT,
  TIME,
  timeOf,
} from '../platform/input/schema.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { CACHE_STATUSES } from '../platform/kernel/http-names.ts';
import {
  type AuditFilter,
  MAX_CLIENT_FILTER,
  MAX_TEXT_FILTER,
  OUTCOMES,
  UPSTREAM_CLASSES,
} from './reading/audit-filter.ts';
import type { AuditPage, AuditStore } from './reading/audit-store.ts';
import type { StoredAuditRecord } from './record/audit-record.ts';
import { CALL_CAUSES, ORIGIN_FILTERS } from './record/failure-origin.ts';

const text = (description: string, maxLength = MAX_TEXT_FILTER) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

/** Members of a query that narrow which audit records are read. */
export const AUDIT_FILTER = {
  tool: text('Only calls of this tool.'),
  status: Type.Optional(Type.Enum([...OUTCOMES], { description: 'Only calls with this outcome.' })),
  origin: Type.Optional(
    Type.Enum([...ORIGIN_FILTERS], {
      description:
        'Only failed calls: all, or those on which the caller, the holder of the provider key, the upstream or the gateway must act.',
    }),
  ),
  cause: Type.Optional(
    Type.Enum([...CALL_CAUSES], {
      description:
        'Only calls with this cause; `gateway` and `cancelled` have none in their records.',
    }),
  ),
  error: text('Only calls that failed with this error code.'),
  upstream: text('Only calls to the upstream with this host.'),
  upstreamStatus: Type.Optional(
    Type.Enum([...UPSTREAM_CLASSES], {
      description: 'Only calls to which the upstream responded with a status of this class.',
    }),
  ),
  key: text('Only calls with this API key, or of this person.'),
  client: text('Only calls of clients whose name contains this text.', MAX_CLIENT_FILTER),
  cacheStatus: Type.Optional(
    Type.Enum([...CACHE_STATUSES], { description: 'Only calls with this cache status.' }),
  ),
  requestId: text('Only the call with this request id.'),
  from: optionalTime('Only calls at or after this time.'),
  to: optionalTime('Only calls before this time.'),
};

export type AuditFilterInput = Static<TObject<typeof AUDIT_FILTER>>;

/** The filter of a query, for one tenant or, with null, all. Throws `invalid_request` for a time that is not valid. */
export function auditFilterOf<TenantId extends string | null>(
  tenantId: TenantId,
  { status, key, upstream, upstreamStatus, from, to, ...same }: AuditFilterInput,
): AuditFilter & { readonly tenantId: TenantId } {
  return {
    ...same,
    tenantId,
    outcome: status,
    apiKeyId: key,
    upstreamHost: upstream,
    upstreamClass: upstreamStatus === undefined ? undefined : Number(upstreamStatus[0]),
    fromMs: from === undefined ? undefined : timeOf('from', from),
    toMs: to === undefined ? undefined : timeOf('to', to),
  };
}

const RECORD_MEMBERS = {
  auditId: TEXT,
  timestamp: TIME,
  tenantId: TEXT,
  apiKeyId: TEXT,
  requestId: TEXT,
  dialect: TEXT,
  clientName: orNull(TEXT),
  tool: TEXT,
  toolId: TEXT,
  arguments: recordOf(
    'Secrets and personal data are masked. If longer than 8,192 characters of JSON: `_truncated`, `_bytes` and as much as fits.',
  ),
  upstream: Type.Object(
    { method: TEXT, url: orNull(TEXT), status: orNull(INTEGER) },
    { $id: 'AuditedRequest' },
  ),
  cacheStatus: orNull(TEXT),
  publicData: orNull(Type.Unsafe({ type: 'object' })),
  outcome: Type.Enum([...OUTCOMES]),
  error: orNull(Type.Unsafe({ type: 'object' })),
  durationMs: Type.Number(),
  upstreamMs: orNull(Type.Number()),
  responseBytes: INTEGER,
  responseTokens: Type.Integer({ description: 'Estimate for a language model.' }),
  clientIp: TEXT,
  cause: orNull(Type.String({ description: 'Why there are no data, if that is known.' })),
  asked: orNull(
    recordOf('The arguments that were sent, where they differ from the given ones; masked.'),
  ),
  asOf: orNull(Type.String({ description: 'The time to which the data refer.' })),
  steppedBack: orNull(INTEGER),
  sample: Type.Boolean({ description: 'Whether the sandbox made the data up.' }),
  partOf: orNull(
    Type.String({ description: 'The `auditId` of the call with `_over` that made this request.' }),
  ),
};

const AUDIT_RECORD = Type.Unsafe<StoredAuditRecord>(
  Type.Object(RECORD_MEMBERS, { $id: 'AuditRecord' }),
);

const AUDIT_PAGE = Type.Unsafe<AuditPage>(
  Type.Object(
    {
      records: list(AUDIT_RECORD),
      nextCursor: NEXT_CURSOR,
    },
    { $id: 'AuditRecordPage' },
  ),
);

const REPEAT = Type.Object(
  {
    missing: Type.Unsafe<readonly string[]>({
      type: 'array',
      items: TEXT,
      description: 'Arguments whose values were masked or cut, and must be given again.',
    }),
    isTruncated: Type.Boolean({
      description: 'Whether there were more arguments than the record holds.',
    }),
  },
  { $id: 'Repeatability' },
);

/** One record by itself. */
const SHOWN_RECORD = Type.Unsafe<StoredAuditRecord & { readonly repeat: Static<typeof REPEAT> }>(
  Type.Object({ ...RECORD_MEMBERS, repeat: REPEAT }, { $id: 'ShownAuditRecord' }),
);

const LIST_INPUT = {
  ...AUDIT_FILTER,
  limit: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 100,
    description: 'Entries on a page.',
  }),
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: '`nextCursor` of the previous page.' }),
  ),
};

/** The audit log of a tenant for its members, and of all tenants for operators. */
export const createAuditOperations = ({ auditStore }: { readonly auditStore: AuditStore }) => ({
  'GET /tenants/:tenant/audit': tenantOperation('viewer', {
    address: {
      path: '/api/v1/audit',
      operation: 'listAuditRecords',
      tag: 'Audit',
      narrowKeys: 'allowed',
      description:
        'A page ends at `limit` records or at 1 MiB, whichever comes first. A search that takes longer than 10 seconds is 503: narrow it with `from` and `to`. Request the next page with `nextCursor` until it is null. `incomplete` is present only while records of your tenant wait in this gateway for PostgreSQL; the page does not contain them.',
    },
    name: 'audit list',
    summary: 'List the calls of a tenant, newest first.',
    input: LIST_INPUT,
    output: AUDIT_PAGE,
    handle: ({ tenant }, { limit, cursor, ...input }) =>
      auditStore.list({ ...auditFilterOf(tenant.id, input), limit, cursor }),
  }),
  'GET /audit': operatorOperation({
    name: 'gateway audit',
    summary: 'List the calls of all tenants, newest first.',
    input: LIST_INPUT,
    output: AUDIT_PAGE,
    handle: (_context, { limit, cursor, ...input }) =>
      auditStore.list({ ...auditFilterOf(null, input), limit, cursor }),
  }),
  'GET /tenants/:tenant/audit/:auditId': tenantOperation('viewer', {
    address: {
      path: '/api/v1/audit/:auditId',
      operation: 'getAuditRecord',
      tag: 'Audit',
      narrowKeys: 'allowed',
      statuses: { 404: 'Your tenant has no audit record with this id.' },
    },
    name: 'audit show',
    summary: 'Show the record of a call, and which of its arguments a repetition needs again.',
    input: { auditId: Type.String({ description: 'The `auditId` in the result of the call.' }) },
    output: SHOWN_RECORD,
    handle: async ({ tenant }, { auditId }) => {
      const record = await findRecord(auditStore, tenant.id, auditId);
      return { ...record, repeat: repeatability(record.arguments) };
    },
  }),
});

/** Rejects with `not_found` for a record that the tenant does not have. */
export async function findRecord(
  auditStore: Pick<AuditStore, 'get'>,
  tenantId: string,
  auditId: string,
): Promise<StoredAuditRecord> {
  const record = await auditStore.get(tenantId, auditId);
  if (record) return record;
  throw new GatewayError(
    'not_found',
    'There is no such audit record. It may have been deleted because of its age.',
  );
}

/** What masking and cutting leave in a recorded text. */
const REMOVED = /\[masked:[a-z-]+\]|\[long name\]|…\[cut\]$/;

/** Which of the recorded arguments are not what the caller sent. */
export function repeatability(args: Readonly<Record<string, unknown>>): Static<typeof REPEAT> {
  const isTruncated = args['_truncated'] === true;
  const missing = Object.entries(args)
    .filter(([name, value]) => REMOVED.test(name) || isRemoved(value))
    .map(([name]) => name);
  return { missing, isTruncated };
}

/** Recorded arguments are bounded in size and depth. */
function isRemoved(value: unknown): boolean {
  if (typeof value === 'string') return REMOVED.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => REMOVED.test(name) || isRemoved(inner));
}
