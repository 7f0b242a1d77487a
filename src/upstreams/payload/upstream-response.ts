import type { NormalisedPayload } from './normalise-payload.ts';

/** What an upstream sent, as its callers see it. Never write to it: it may be in the cache. */
export interface UpstreamResponse extends NormalisedPayload {
  readonly status: number;
  /** Address of the request that fetched it, without secrets. */
  readonly url: string;
}

/** Status 400 and above, or a payload that says it failed. */
export const isFailure = ({ ok, status }: UpstreamResponse): boolean => !ok || status >= 400;
