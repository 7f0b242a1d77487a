import { type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { containsText, startsWithText } from '../../platform/database/text-match.ts';
import type { CacheStatus } from '../../platform/kernel/http-names.ts';
import type { AuditOutcome } from '../record/audit-record.ts';
import {
  CALL_CAUSES,
  CAUSE_OF_CODE,
  type CallCause,
  type FailureOrigin,
  ORIGIN_OF_CAUSE,
  type OriginFilter,
} from '../record/failure-origin.ts';
import { COLUMN_CAPS, fitText } from '../record/fit-column.ts';

/** Which audit records are read. Every member narrows the set. */
export interface AuditFilter {
  /** Null = every tenant, which is only for operators. */
  readonly tenantId: string | null;
  readonly tool?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Who must act on the failure. */
  readonly origin?: OriginFilter | undefined;
  readonly cause?: CallCause | undefined;
  /** The code of the error (docs/errors.md). */
  readonly error?: string | undefined;
  /** The first digit of the upstream's HTTP status. */
  readonly upstreamClass?: number | undefined;
  /** An API key, or the person who called. */
  readonly apiKeyId?: string | undefined;
  /** Part of the client's name; ASCII letters match in either case. */
  readonly client?: string | undefined;
  /** The host of the upstream's address, with its port if it has one. */
  readonly upstreamHost?: string | undefined;
  readonly cacheStatus?: CacheStatus | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

export const OUTCOMES: readonly AuditOutcome[] = ['ok', 'upstream_error', 'error'];
export const UPSTREAM_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

/** The longest part of a client's name that a filter accepts, in characters. */
export const MAX_CLIENT_FILTER = 100;

/** The values of a text filter are at most this long, in characters. */
export const MAX_TEXT_FILTER = 200;

/** A query of audit records, whatever it selects. */
export type RecordsQuery<Row> = SelectQueryBuilder<Tables, 'audit_records', Row>;

/** Restricts a query to a filter, except for its time. */
export function matching<Row>(query: RecordsQuery<Row>, filter: AuditFilter): RecordsQuery<Row> {
  let found = query;
  const { tenantId, upstreamClass, upstreamHost, outcome, client, cacheStatus } = filter;
  const { origin, cause } = filter;
  if (tenantId !== null) found = found.where('tenant_id', '=', tenantId);
  for (const [column, value] of textsOf(filter)) {
    if (value !== undefined) found = found.where(column, '=', fitText(value, MAX_TEXT_FILTER));
  }
  if (outcome !== undefined) found = found.where('outcome', '=', outcome);
  if (origin !== undefined && origin !== 'failed') found = found.where(ofOrigin(origin));
  if (cause !== undefined) found = found.where(ofCauses([cause]));
  if (cacheStatus !== undefined) found = found.where('cache_status', '=', cacheStatus);
  if (upstreamClass !== undefined) {
    found = found
      .where('upstream_status', '>=', upstreamClass * 100)
      .where('upstream_status', '<', upstreamClass * 100 + 100);
  }
  if (client !== undefined) found = found.where(containsText(['client_name'], client));
  if (upstreamHost !== undefined) {
    found = found.where(({ or }) =>
      or(SCHEMES.map((scheme) => startsWithText('upstream_url', `${scheme}://${upstreamHost}/`))),
    );
  }
  return findsFailures(filter) ? found.where(FAILED) : found;
}

/** The condition of the index of failures; neither database uses the index without it. */
export const FAILED = sql<boolean>`outcome <> 'ok'`;

/** `callCause` of a failure. */
const CAUSE = sql<CallCause>`coalesce(cause, case
  when error_code is null then 'gateway' ${sql.join(
    Object.entries(CAUSE_OF_CODE).map(
      ([code, cause]) => sql`when error_code = ${sql.lit(code)} then ${sql.lit(cause)}`,
    ),
    sql` `,
  )} else 'arguments' end)`;

/** Causes that a record need not name. The column of the others is compared within the index. */
const UNNAMED: ReadonlySet<CallCause> = new Set([...Object.values(CAUSE_OF_CODE), 'arguments']);

const ofCauses = (causes: readonly CallCause[]) =>
  sql<boolean>`${causes.some((cause) => UNNAMED.has(cause)) ? CAUSE : sql.ref('cause')}
    in (${sql.join(causes.map((cause) => sql.lit(cause)))})`;

/** `failureOrigin` of a failure. */
const ofOrigin = (origin: FailureOrigin) =>
  ofCauses(CALL_CAUSES.filter((cause) => ORIGIN_OF_CAUSE[cause] === origin));

const textsOf = (filter: AuditFilter) =>
  [
    ['tool', filter.tool && fitText(filter.tool, COLUMN_CAPS.tool)],
    ['error_code', filter.error],
    ['api_key_id', filter.apiKeyId],
    ['request_id', filter.requestId],
  ] as const;

const SCHEMES = ['https', 'http'];

/** Whether every record that matches is in the index of failures. A successful call may have no data. */
const findsFailures = ({ outcome, origin, cause, error }: AuditFilter): boolean =>
  error !== undefined ||
  origin !== undefined ||
  (cause !== undefined && cause !== 'no_data') ||
  (outcome !== undefined && outcome !== 'ok');
