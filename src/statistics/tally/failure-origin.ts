import type { CountedRecord } from '../../audit/record/counted-record.ts';

/** Who is responsible for a failed call. */
export type FailureOrigin = 'caller' | 'upstream' | 'gateway';

/** The codes of `error-table.ts` for which its operator is responsible. */
const GATEWAY_CODES: ReadonlySet<string> = new Set([
  'missing_secret',
  'overloaded',
  'unavailable',
  'internal',
]);

/** Null for a call that succeeded. A response with an error is the upstream's failure. */
export function failureOrigin({
  outcome,
  error_code: code,
}: Pick<CountedRecord, 'outcome' | 'error_code'>): FailureOrigin | null {
  if (outcome === 'ok') return null;
  if (outcome === 'upstream_error' || code?.startsWith('upstream_')) return 'upstream';
  return code === null || GATEWAY_CODES.has(code) ? 'gateway' : 'caller';
}

/** Errors after a request has been sent. The others stopped the call before. */
const AFTER_REQUEST: ReadonlySet<string> = new Set([
  'upstream_timeout',
  'upstream_unreachable',
  'upstream_too_large',
  'upstream_bad_payload',
]);

/** Whether the call sent a request to its upstream, which may count towards a quota. */
export const sentRequest = ({ cache_status: status, error_code: code }: CountedRecord): boolean =>
  status === 'MISS' || status === 'BYPASS' || (code !== null && AFTER_REQUEST.has(code));
