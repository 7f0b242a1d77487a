import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Authenticator } from '../api-keys/authenticator.ts';
import type { Caller } from '../api-keys/caller.ts';
import type { Route } from '../dialects/route.ts';
import { GatewayError } from '../kernel/error.ts';
import type { FailureLimiter } from '../limits/failure-limiter.ts';
import type { LimitDecision, RateLimiter } from '../limits/rate-limiter.ts';

export interface AuthenticationDeps {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly failureLimiter: FailureLimiter;
}

/** Makes the check of one route. */
export type Authenticate = (route: Pick<Route, 'answersLimit'>) => onRequestHookHandler;

/**
 * Lets a request with a valid API key pass, within its rate limit; 401 or 429 otherwise. An address that failed too
 * often may not try further keys, but one that is known to be good goes on: it may share the address, of a proxy
 * say, with whoever failed.
 */
export function createAuthenticate(deps: AuthenticationDeps): Authenticate {
  return (route) => {
    const admit = (
      caller: Caller,
      request: FastifyRequest,
      reply: FastifyReply,
      done: (refusal?: Error) => void,
    ): void => {
      request.caller = caller;
      const decision = deps.rateLimiter.consume(caller.apiKeyId);
      if (decision instanceof Promise) {
        decision.then((late) => done(refusalOf(route, late, request, reply))).catch(done);
      } else done(refusalOf(route, decision, request, reply));
    };
    return (request, reply, done) => {
      const key = presentedKey(request.headers);
      const known = deps.authenticator.known(key);
      if (known) admit(known, request, reply, done);
      else {
        identify(deps, key, request, reply).then(
          (caller) => admit(caller, request, reply, done),
          done,
        );
      }
    };
  };
}

/** Tells the client of its limit; the error that refuses the request when it is used up and the route does not say so. */
function refusalOf(
  route: Pick<Route, 'answersLimit'>,
  decision: LimitDecision,
  request: FastifyRequest,
  reply: FastifyReply,
): GatewayError | undefined {
  announceLimit(reply, decision);
  if (decision.allowed) return undefined;
  const refusal = tooMany(decision, 'The rate limit of this API key is used up.');
  if (!route.answersLimit?.(toSigns(request))) return refusal;
  request.limited = refusal;
  return undefined;
}

const toSigns = ({ headers, query }: FastifyRequest) => ({
  headers,
  query: query as Record<string, unknown>,
});

async function identify(
  deps: AuthenticationDeps,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const blocked = deps.failureLimiter.isBlocked(request.ip);
  if (blocked) throw tooMany(blocked, 'Too many failed authentications from this address.');
  try {
    return await deps.authenticator.authenticate(key);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unauthenticated') {
      reply.header('www-authenticate', 'Bearer');
      await deps.failureLimiter.recordFailure(request.ip);
    }
    throw error;
  }
}

/**
 * The key a client shows, in either header; an empty string when there is none, or when the two disagree
 * (contract "HTTP"). A query string is never read.
 */
function presentedKey(headers: FastifyRequest['headers']): string {
  const own = headers['x-api-key'];
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const first = typeof own === 'string' ? own : undefined;
  if (first !== undefined && headers.authorization !== undefined && first !== bearer) return '';
  return first ?? bearer ?? '';
}

/**
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10; the latter, which is always the same,
 * with a refusal only, since every header costs as much as the check itself.
 */
function announceLimit(reply: FastifyReply, decision: LimitDecision): void {
  if (decision.limit === 0) return;
  if (!decision.allowed) reply.header('ratelimit-policy', `"key";q=${decision.limit};w=60`);
  reply.header('ratelimit', `"key";r=${decision.remaining};t=${decision.resetSeconds}`);
}

function tooMany(decision: LimitDecision, message: string): GatewayError {
  const { retryAfterSeconds } = decision;
  return new GatewayError('rate_limited', `${message} Retry in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}
