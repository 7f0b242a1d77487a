import { jsonResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [status: number, message: string] => {
  if (typeof refusal === 'object') return [422, `missing ${refusal.missing}`];
  if (refusal === 'quota') return [429, 'too many requests'];
  if (refusal === 'unknown_path') return [404, 'not found'];
  return [422, 'invalid request'];
};

/** Plain HTTP statuses with a message; the root of a successful response is the array of rows. */
export const frankfurter: UpstreamFamily = {
  addresses: ['https://api.frankfurter.dev/'],
  refuse(refusal) {
    const [status, message] = refusalOf(refusal);
    return jsonResponse({ message }, status);
  },
  empty: () => jsonResponse([]),
  single: (sample) => jsonResponse(JSON.parse(sample.body).slice(0, 1)),
};
