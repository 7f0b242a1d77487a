import { jsonResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const statusOf = (refusal: Refusal): number => {
  if (typeof refusal === 'object') return 400;
  if (refusal === 'quota') return 429;
  return refusal === 'unknown_path' ? 404 : 401;
};

/** Any upstream without a module of its own: plain HTTP statuses with a short JSON body. */
export const plain: UpstreamFamily = {
  addresses: [],
  refuse: (refusal) =>
    jsonResponse(
      { error: typeof refusal === 'string' ? refusal : `missing ${refusal.missing}` },
      statusOf(refusal),
    ),
  empty: (sample) => sample,
  single: (sample) => sample,
};
