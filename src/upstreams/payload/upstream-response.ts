import type { NormalisedPayload } from './normalise-payload.ts';

/** An upstream's response as callers see it. Never modify it: it may be in the cache. */
export interface UpstreamResponse extends NormalisedPayload {
  readonly status: number;
  /** Address of its request, without secrets. */
  readonly url: string;
  /** When it was received, in milliseconds since the epoch. */
  readonly fetchedAtMs: number;
  /** The same in ISO 8601, UTC: formatting it again takes longer than all else that callers are told about the data. */
  readonly fetchedAt: string;
}

/** Status 400 and above, or a payload that reports a failure. */
export const isFailure = ({ ok, status }: UpstreamResponse): boolean => !ok || status >= 400;
