import { GatewayError } from '../../platform/kernel/error.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import { type Answer, headerText, type Outcome } from './attempt.ts';

/** Redirects followed in one call. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Does the upstream send the call elsewhere? */
export function isRedirect(outcome: Outcome): outcome is Answer {
  return (
    !outcome.error && REDIRECTS.has(outcome.status) && outcome.headers['location'] !== undefined
  );
}

/**
 * Goes on where a GET or HEAD was redirected, within its origin. Never to another one: the request may carry a
 * credential, and its address was approved for this origin alone.
 */
export async function followRedirect(
  first: Answer,
  { origin, path: firstPath }: UpstreamRequest,
  /** Told of the answer that it goes on from. */
  send: (path: string, from: Answer) => Promise<Outcome>,
): Promise<Outcome> {
  let path = firstPath;
  let outcome: Outcome = first;
  for (let followed = 0; isRedirect(outcome); followed++) {
    const next = followed < MAX_REDIRECTS ? targetPath(outcome, origin, path) : tooMany();
    if (typeof next !== 'string') return { error: next, fate: 'unknown' };
    path = next;
    outcome = await send(path, outcome);
  }
  return outcome;
}

function targetPath(answer: Answer, origin: string, path: string): string | GatewayError {
  const target = URL.parse(headerText(answer.headers, 'location'), origin + path);
  if (!target) {
    return new GatewayError(
      'upstream_bad_payload',
      'The upstream redirected to an address that could not be read.',
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

function tooMany(): GatewayError {
  return new GatewayError(
    'upstream_bad_payload',
    `The upstream redirected more than ${MAX_REDIRECTS} times.`,
  );
}
