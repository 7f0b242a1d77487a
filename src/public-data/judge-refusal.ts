import type { Cause } from '../platform/kernel/cause.ts';
import type { JudgeRefusal, KeyVerdict } from '../upstreams/payload/upstream-response.ts';
import { portalCode } from './result-code.ts';
import { SERVICE_KEY } from './service-key.ts';

/** What the cause of a refusal says about the key. The others say nothing. */
const VERDICTS: Partial<Record<Cause, KeyVerdict>> = {
  operator_key: 'key_invalid',
  not_approved: 'not_applied',
  quota: 'quota_used_up',
  rate: 'too_fast',
  upstream: 'upstream_unavailable',
};

/** Codes by which a provider says more than that it does not accept the key. */
const PRECISE: ReadonlyMap<string, KeyVerdict> = new Map([
  [`${SERVICE_KEY} 31`, 'key_expired'],
  [`${SERVICE_KEY} 32`, 'address_refused'],
  ['DART_API_KEY 012', 'address_refused'],
  ['DART_API_KEY 901', 'key_expired'],
]);

/** Says what a Korean provider's refusal means for its key: by its code, else by the cause that its preset gives. */
export const judgeRefusal: JudgeRefusal = (keyName, { cause, code = '' }) =>
  PRECISE.get(`${keyName} ${keyName === SERVICE_KEY ? portalCode(code) : code}`) ??
  (cause && VERDICTS[cause]);
