import type { Cause } from '../../platform/kernel/cause.ts';
import type { AuditOutcome } from './audit-record.ts';

/** Who must act on a failed call; `key` is the holder of the provider key. The dashboard uses this file, too. */
export type FailureOrigin = 'caller' | 'key' | 'upstream' | 'gateway';

/** Why a call failed or found nothing: the cause of its record, or what its code says without one. */
export type CallCause = Cause | 'cancelled' | 'gateway';

/** Who must act, by the cause of a failure. */
export const ORIGIN_OF_CAUSE: Readonly<Record<CallCause, FailureOrigin>> = {
  arguments: 'caller',
  no_data: 'caller',
  cancelled: 'caller',
  operator_key: 'key',
  not_approved: 'key',
  quota: 'key',
  rate: 'upstream',
  upstream: 'upstream',
  network: 'upstream',
  gateway: 'gateway',
};

export const CALL_CAUSES = Object.keys(ORIGIN_OF_CAUSE) as CallCause[];

/** What the audit log is filtered by: failures of one origin, or of any. */
export const ORIGIN_FILTERS = ['failed', 'caller', 'key', 'upstream', 'gateway'] as const;
export type OriginFilter = (typeof ORIGIN_FILTERS)[number];

/** Codes of `error-table.ts` that have no cause; the others without one are refused arguments. */
export const CAUSE_OF_CODE: Readonly<Record<string, 'cancelled' | 'gateway'>> = {
  cancelled: 'cancelled',
  overloaded: 'gateway',
  unavailable: 'gateway',
  internal: 'gateway',
};

/** Null for a call that found something. */
export function callCause(
  outcome: AuditOutcome,
  code: string | null,
  cause: Cause | null,
): CallCause | null {
  if (cause !== null || outcome === 'ok') return cause;
  return code === null ? 'gateway' : (CAUSE_OF_CODE[code] ?? 'arguments');
}

/** Null if the call succeeded. */
export function failureOrigin(
  outcome: AuditOutcome,
  code: string | null,
  cause: Cause | null,
): FailureOrigin | null {
  if (outcome === 'ok') return null;
  return ORIGIN_OF_CAUSE[callCause(outcome, code, cause) ?? 'gateway'];
}
