/** Why a call has no rows or failed, by who can do something about it (docs/contract.md#call-result). */
export type Cause =
  /** The caller: the upstream rejects an argument. */
  | 'arguments'
  /** Nobody: the request was right, and nothing matches it. */
  | 'no_data'
  /** The operator: the upstream refuses the gateway's key. */
  | 'operator_key'
  /** The operator: the key is valid, but its use of this dataset has not been approved. */
  | 'not_approved'
  /** Time, or the operator: the key's quota is used up. */
  | 'quota'
  /** Time: too many requests at once. */
  | 'rate'
  /** The upstream, which fails by itself or answers what cannot be read. */
  | 'upstream'
  /** The way to the upstream: no connection, or no answer in time. */
  | 'network';

/** What the provider of a key says about it when it refuses a request (docs/contract.md#readiness-of-keys). */
export type KeyRefusal =
  /** It does not know the key, or not for this dataset. */
  | 'unknown_key'
  /** It knows the key, but its use of this dataset has not been approved. */
  | 'not_approved'
  /** The period of the approval has ended. */
  | 'expired'
  /** It has suspended the key, or does not accept it from this address. */
  | 'blocked'
  /** The operation does not exist any more. */
  | 'withdrawn'
  /** The quota of the day is used up. */
  | 'exhausted';

/** Who must do what, for a failure about which nothing more is known. */
export const ADVICE: Readonly<Record<Cause, string>> = {
  arguments: 'Check the arguments and call again.',
  no_data: 'Nothing matches these arguments; widen the search or choose another date or place.',
  operator_key:
    'The operator of this gateway must check its key for this provider; other arguments do not help.',
  not_approved:
    'The operator of this gateway must apply for this dataset at the provider; other arguments do not help.',
  quota:
    "The quota of the gateway's key is used up; the same call works once the provider resets it.",
  rate: 'Too many requests at once; wait a moment and call again.',
  upstream: 'The provider fails; the same call may work later.',
  network: 'The provider could not be reached in time; the same call may work later.',
};
