import type { KeyVerdict } from '../../upstreams/payload/key-verdict.ts';

/** What a status says about a key, for upstreams that say nothing more. */
export function verdictOfStatus(status: number): KeyVerdict {
  if (status === 401 || status === 403) return 'key_invalid';
  if (status === 429) return 'too_fast';
  return status >= 500 ? 'upstream_unavailable' : 'unclear';
}

const WORDS: Readonly<Record<KeyVerdict, string>> = {
  works: 'The key works.',
  key_invalid:
    'The provider does not accept the key. Check that it was copied completely; a new key may take an hour until it is known.',
  key_expired: 'The key has expired. Renew it at the provider.',
  not_applied:
    'The provider knows the key, but access to this dataset has not been granted. Apply for the dataset with the same account.',
  address_refused:
    "The provider does not accept this key from the gateway's address. Register the address at the provider.",
  quota_used_up:
    "The key is valid, but the day's quota is used up. Wait until midnight in Korea, or request a higher quota.",
  too_fast: 'The provider received too many requests. Wait a minute, then test again.',
  upstream_unavailable:
    'The provider did not answer as it should, so nothing is known about the key. Test again later.',
  unclear:
    'The provider refused the call for another reason. Its response is in the audit log; try another tool.',
};

/** A verdict in plain words, with what to do next. */
export const explainVerdict = (verdict: KeyVerdict): string => WORDS[verdict];
