import { type Static, type TObject, Type } from 'typebox';
import {
  type AuditFilter,
  CACHE_STATUSES,
  MAX_CLIENT_FILTER,
  MAX_TEXT_FILTER,
  OUTCOMES,
  UPSTREAM_CLASSES,
} from '../../audit/reading/audit-filter.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
const time = Type.Optional(Type.String({ maxLength: 40 }));

/** Members of a query that narrow which audit records are read. */
export const AUDIT_FILTER_INPUT = {
  tool: text(MAX_TEXT_FILTER),
  status: Type.Optional(Type.Enum([...OUTCOMES])),
  error: text(MAX_TEXT_FILTER),
  upstreamStatus: Type.Optional(Type.Enum([...UPSTREAM_CLASSES])),
  upstream: text(MAX_TEXT_FILTER),
  key: text(MAX_TEXT_FILTER),
  client: text(MAX_CLIENT_FILTER),
  cacheStatus: Type.Optional(Type.Enum([...CACHE_STATUSES])),
  requestId: text(MAX_TEXT_FILTER),
  from: time,
  to: time,
};

export type AuditFilterInput = Static<TObject<typeof AUDIT_FILTER_INPUT>>;

/** The filter of a query, for one tenant. Throws GatewayError `invalid_request` for a time that is not one. */
export function auditFilterOf(
  tenantId: string,
  input: AuditFilterInput,
): AuditFilter & { readonly tenantId: string } {
  const { tool, status, error, upstreamStatus, upstream, key, client, cacheStatus, requestId } =
    input;
  return {
    tenantId,
    tool,
    error,
    client,
    cacheStatus,
    requestId,
    outcome: status,
    apiKeyId: key,
    upstreamHost: upstream,
    upstreamClass: upstreamStatus === undefined ? undefined : Number(upstreamStatus[0]),
    fromMs: timeOf('from', input.from),
    toMs: timeOf('to', input.to),
  };
}

/** A time of a query in milliseconds since the epoch. */
export function timeOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = Date.parse(given);
  if (!Number.isNaN(ms)) return ms;
  throw new GatewayError(
    'invalid_request',
    `"${name}" is not a time. Use a form such as 2026-11-21T09:00:00Z.`,
  );
}
