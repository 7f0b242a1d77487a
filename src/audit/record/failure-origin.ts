import type { AuditOutcome } from './audit-record.ts';

/** Who is responsible for a failed call. The dashboard uses this file, too. */
export type FailureOrigin = 'caller' | 'upstream' | 'gateway';

/** The codes of `error-table.ts` for which the operator of the gateway is responsible. */
const GATEWAY_CODES = new Set<string>([
  'missing_secret',
  'quota_exhausted',
  'overloaded',
  'unavailable',
  'internal',
]);

/** Null if the call succeeded. A response with an error is the upstream's failure. */
export function failureOrigin(outcome: AuditOutcome, code: string | null): FailureOrigin | null {
  if (outcome === 'ok') return null;
  if (outcome === 'upstream_error' || code?.startsWith('upstream_')) return 'upstream';
  return code === null || GATEWAY_CODES.has(code) ? 'gateway' : 'caller';
}
