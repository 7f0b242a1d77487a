import type { Caller } from './caller.ts';

/** Why a request of a known caller was refused before it had an audit record (docs/statistics.md). */
export const REFUSAL_REASONS = [
  'rate_limit',
  'daily_limit',
  'unknown_tool',
  'tool_not_allowed',
  'invalid_request',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Counts one refused request. Never throws. */
export type CountRefusal = (
  caller: Pick<Caller, 'tenantId' | 'apiKeyId'>,
  reason: RefusalReason,
) => void;
