import type { Cause } from '../platform/kernel/cause.ts';
import { type GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import type { Staleness } from '../upstreams/cache/response-cache.ts';
import { causeOfStatus } from '../upstreams/payload/judge-payload.ts';
import { isFailure, type UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { CallOutcome } from './tool-call.ts';

/** Whether a response is good, good without data, or a failure, and why. */
export function judgeResponse(
  response: UpstreamResponse,
): Pick<CallOutcome, 'isError' | 'kind' | 'cause'> {
  if (isFailure(response)) {
    const cause = response.cause ?? causeOfStatus(response.status) ?? 'upstream';
    return { isError: true, kind: 'failed', cause };
  }
  if (isEmpty(response)) return { isError: false, kind: 'no_data', cause: 'no_data' };
  return { isError: false, kind: 'ok', cause: null };
}

/** Whether a good response has no rows at all, not just none on this page; if it says so, whatever total it names. */
export const isEmpty = (response: UpstreamResponse): boolean =>
  !isFailure(response) && response.rows === 0 && (!response.total || response.cause === 'no_data');

/** Why an older response was used. */
export function causeOfStaleness({ replaces }: Staleness): Cause {
  if (replaces === 'quota') return 'quota';
  if (!(replaces instanceof Error)) return judgeResponse(replaces).cause ?? 'upstream';
  return causeOfError(toGatewayError(replaces)) ?? 'upstream';
}

/** The cause of a call without a response; null if only the gateway is to blame. */
export function causeOfError({ code }: GatewayError): Cause | null {
  switch (code) {
    case 'invalid_arguments':
      return 'arguments';
    case 'missing_secret':
      return 'operator_key';
    case 'quota_exhausted':
      return 'quota';
    case 'upstream_timeout':
    case 'upstream_unreachable':
      return 'network';
    default:
      return code.startsWith('upstream_') ? 'upstream' : null;
  }
}
