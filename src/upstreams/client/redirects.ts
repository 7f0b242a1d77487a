import { GatewayError } from '../../platform/kernel/error.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import { headerText, type Outcome, type ReceivedResponse } from './attempt.ts';

/** Redirects followed in one call. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A redirect without a `Location` is an ordinary response. */
export function isRedirect(outcome: Outcome): outcome is ReceivedResponse {
  return (
    !outcome.error && REDIRECTS.has(outcome.status) && outcome.headers['location'] !== undefined
  );
}

/**
 * Follows the redirects of a GET or HEAD within its origin. Never to another origin: the request may carry a
 * credential, and its address was approved for this origin alone.
 */
export async function followRedirect(
  first: ReceivedResponse,
  { origin, path: firstPath }: UpstreamRequest,
  /** Also receives the response that caused the redirect. */
  send: (path: string, from: ReceivedResponse) => Promise<Outcome>,
): Promise<Outcome> {
  let path = firstPath;
  let outcome: Outcome = first;
  for (let followed = 0; isRedirect(outcome); followed++) {
    const next = followed < MAX_REDIRECTS ? targetPath(outcome, origin, path) : tooMany();
    if (typeof next !== 'string') return { error: next, delivery: 'unknown' };
    path = next;
    outcome = await send(path, outcome);
  }
  return outcome;
}

function targetPath(
  response: ReceivedResponse,
  origin: string,
  path: string,
): string | GatewayError {
  const target = URL.parse(headerText(response.headers, 'location'), origin + path);
  if (!target) {
    return new GatewayError(
      'upstream_bad_payload',
      'The upstream redirected to an invalid address.',
    );
  }
  if (target.origin !== new URL(origin).origin) {
    return new GatewayError(
      'upstream_blocked',
      'The upstream redirected to another address, which the gateway does not follow.',
    );
  }
  return target.pathname + target.search;
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'upstream_bad_payload',
    `The upstream redirected more than ${MAX_REDIRECTS} times.`,
  );
