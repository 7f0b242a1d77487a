import { refusal } from '../../dialects/rest/refusals.ts';
import type { RouteDescription } from '../../dialects/route.ts';

const RETRY_AFTER = { 'retry-after': { type: 'integer', description: 'Seconds to wait.' } };

/** Refusals that many operations have, by the names of their components (docs/contract.md#statuses). */
export const COMMON_REFUSALS = {
  BadRequest: refusal('A query parameter is unknown, repeated or not valid.'),
  Unauthorized: refusal('The API key is missing, unknown, revoked or expired.'),
  Forbidden: refusal('The `Origin` is not allowed.'),
  PayloadTooLarge: refusal('The body is too large.'),
  UnsupportedMediaType: refusal('The body has another media type, or a content coding.'),
  TooManyRequests: {
    ...refusal(
      'The rate limit or the daily limit of the API key, or the rate limit of its tenant, is used up.',
    ),
    headers: RETRY_AFTER,
  },
  Refusal: refusal('Any other refusal.'),
};

type RefusalName = keyof typeof COMMON_REFUSALS;

/** The refusals of an operation by status, beside those that only it has. */
export function refusalsOf(route: RouteDescription): Readonly<Record<string, RefusalName>> {
  const { method, access, query, ignoresOtherQuery, body, bodies } = route;
  return {
    ...(query || (method !== 'POST' && !ignoresOtherQuery) ? { 400: 'BadRequest' } : {}),
    ...(access === 'key' ? { 401: 'Unauthorized', 429: 'TooManyRequests' } : {}),
    403: 'Forbidden',
    ...(body || bodies ? { 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType' } : {}),
    default: 'Refusal',
  };
}
