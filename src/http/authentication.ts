import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../api-keys/authenticator.ts';
import type { Caller } from '../api-keys/caller.ts';
import { GatewayError } from '../kernel/error.ts';
import type { FailureLimiter } from '../limits/failure-limiter.ts';
import type { LimitDecision, RateLimiter } from '../limits/rate-limiter.ts';

export interface AuthenticationDeps {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly failureLimiter: FailureLimiter;
}

/** Lets a request with a valid API key pass, within its rate limit; 401 or 429 otherwise. */
export function createAuthenticate(deps: AuthenticationDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const blocked = await deps.failureLimiter.isBlocked(request.ip);
    if (blocked) throw tooMany(blocked, 'Too many failed authentications from this address.');
    request.caller = await identify(deps, request, reply);
    const decision = await deps.rateLimiter.consume(request.caller.apiKeyId);
    announceLimit(reply, decision);
    if (!decision.allowed) throw tooMany(decision, 'The rate limit of this API key is used up.');
  };
}

async function identify(
  deps: AuthenticationDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  try {
    return await deps.authenticator.authenticate(presentedKey(request.headers));
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

/** `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10. */
function announceLimit(reply: FastifyReply, decision: LimitDecision): void {
  if (decision.limit === 0) return;
  reply.header('ratelimit-policy', `"key";q=${decision.limit};w=60`);
  reply.header('ratelimit', `"key";r=${decision.remaining};t=${decision.resetSeconds}`);
}

function tooMany(decision: LimitDecision, message: string): GatewayError {
  const { retryAfterSeconds } = decision;
  return new GatewayError('rate_limited', `${message} Retry in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}
