import { GatewayError } from '../../platform/kernel/error.ts';
import { headerText } from '../../platform/kernel/http-names.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import { isRedirectStatus } from '../../tools/tool-connection.ts';
import type { Outcome, ReceivedResponse } from './attempt.ts';

/** Redirects followed in one call. */
const MAX_REDIRECTS = 3;

/** A redirect without a `Location` is an ordinary response. */
export function isRedirect(outcome: Outcome): outcome is ReceivedResponse {
  return (
    !outcome.error && isRedirectStatus(outcome.status) && outcome.headers['location'] !== undefined
  );
}

/**
 * Whether a response sends the request on. A write is only sent on where method and body stay and nothing was done (307 and
 * 308); any other redirect of a write is its response.
 */
export function isSentOn(
  { method, origin, path }: UpstreamRequest,
  outcome: Outcome,
): outcome is ReceivedResponse {
  if (!isRedirect(outcome) || method === 'GET' || method === 'HEAD') return isRedirect(outcome);
  const keepsRequest = outcome.status === 307 || outcome.status === 308;
  return keepsRequest && typeof targetPath(outcome, origin, path) === 'string';
}

/**
 * Follows the redirects of a request within its origin. Never to another origin: the request may carry a credential, and
 * its address was approved for this origin alone.
 */
export async function followRedirect(
  first: ReceivedResponse,
  request: UpstreamRequest,
  /** Also receives the response that caused the redirect. */
  send: (path: string, from: ReceivedResponse) => Promise<Outcome>,
): Promise<Outcome> {
  const { origin } = request;
  let { path } = request;
  let outcome: Outcome = first;
  for (let followed = 0; isSentOn({ ...request, path }, outcome); followed++) {
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
