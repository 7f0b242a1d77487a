import type { Cause, KeyRefusal } from '../platform/kernel/cause.ts';
import type {
  JudgeRefusal,
  KeyVerdict,
  UpstreamResponse,
} from '../upstreams/payload/upstream-response.ts';
import { causeOf, portalCode } from './result-code.ts';
import { SERVICE_KEY } from './service-key.ts';

/** What the cause of a refusal says about the key. The others say nothing. */
const VERDICTS: Partial<Record<Cause, KeyVerdict>> = {
  operator_key: 'key_invalid',
  not_approved: 'not_applied',
  quota: 'quota_used_up',
  rate: 'too_fast',
  upstream: 'upstream_unavailable',
};

const REFUSALS: Partial<Record<Cause, KeyRefusal>> = {
  operator_key: 'unknown_key',
  not_approved: 'not_approved',
  quota: 'exhausted',
};

interface Meaning {
  readonly refusal: KeyRefusal;
  readonly verdict: KeyVerdict;
}

const EXPIRED: Meaning = { refusal: 'expired', verdict: 'key_expired' };
const BLOCKED: Meaning = { refusal: 'blocked', verdict: 'key_blocked' };
const ADDRESS: Meaning = { refusal: 'blocked', verdict: 'address_refused' };

/** Codes by which a provider says more than their cause does. */
const PRECISE: ReadonlyMap<string, Meaning> = new Map([
  [`${SERVICE_KEY} 12`, { refusal: 'withdrawn', verdict: 'withdrawn' }],
  [`${SERVICE_KEY} 21`, BLOCKED],
  [`${SERVICE_KEY} 29`, BLOCKED],
  [`${SERVICE_KEY} 31`, EXPIRED],
  [`${SERVICE_KEY} 32`, ADDRESS],
  [`${SERVICE_KEY} 33`, { refusal: 'not_approved', verdict: 'not_applied' }],
  ['DART_API_KEY 011', BLOCKED],
  ['DART_API_KEY 012', ADDRESS],
  ['DART_API_KEY 901', EXPIRED],
]);

type Refused = Pick<UpstreamResponse, 'cause' | 'code'>;

function meaningOf(keyName: string, { code = '', cause }: Refused): Meaning | undefined {
  if (keyName !== SERVICE_KEY) return PRECISE.get(`${keyName} ${code}`);
  // A service may have a meaning of its own for a code of the portal.
  if (cause !== undefined && causeOf(code) !== cause) return undefined;
  return PRECISE.get(`${keyName} ${portalCode(code)}`);
}

/** Says what a Korean provider's refusal means for its key: by its code, else by the cause that its preset gives. */
export const judgeRefusal: JudgeRefusal = (keyName, response) =>
  meaningOf(keyName, response)?.verdict ?? (response.cause && VERDICTS[response.cause]);

/** What a refusal says about the key for good; undefined if it says nothing, such as a failure of the provider. */
export const keyRefusalOf = (keyName: string, response: Refused): KeyRefusal | undefined =>
  meaningOf(keyName, response)?.refusal ?? (response.cause && REFUSALS[response.cause]);

/** Whether a failure shows that the key is accepted: the portal checks it before a service reads the arguments. */
export const provesKey = (keyName: string, { code = '' }: Refused): boolean =>
  keyName === SERVICE_KEY && ['10', '11'].includes(portalCode(code));
