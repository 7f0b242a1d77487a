import type { UpstreamResponse } from './upstream-response.ts';

/** What a test call says about a provider key. */
export type KeyVerdict =
  | 'works'
  /** The provider does not know the key, or has suspended it. */
  | 'key_invalid'
  | 'key_expired'
  /** The key is valid, but the dataset of this tool has not been applied for. */
  | 'not_applied'
  /** The provider accepts the key from other addresses only. */
  | 'address_refused'
  | 'quota_used_up'
  | 'too_fast'
  /** The provider did not answer, or failed by itself: nothing is known about the key. */
  | 'upstream_unavailable'
  | 'unclear';

/** What the response of an upstream that refused a call says about the key; undefined if nothing. */
export type JudgeRefusal = (keyName: string, response: UpstreamResponse) => KeyVerdict | undefined;
