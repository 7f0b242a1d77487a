import type { PublicDataStatus } from '../upstreams/payload/normalise-payload.ts';

/** An answer as it is kept (good ones) or passed on (all of them). */
export interface CachedAnswer {
  readonly status: number;
  /** False when the payload itself says that it failed; always true for a kept answer. */
  readonly ok: boolean;
  /** Redacted upstream address of the call that fetched it. */
  readonly url: string;
  /** Kept as it is: never write to it, and hand in a buffer that owns its memory (larger ones are copied). */
  readonly json: Buffer;
  readonly publicData?: PublicDataStatus | undefined;
  readonly rows?: number | undefined;
}
