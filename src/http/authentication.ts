import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Authenticator } from '../access/keys/authenticator.ts';
import type { Caller } from '../access/keys/caller.ts';
import { ShownKey } from '../access/keys/shown-key.ts';
import { addressBlock } from '../access/limits/address-block.ts';
import type { FailureLimiter } from '../access/limits/failure-limiter.ts';
import type { LimitDecision, RateLimiter } from '../access/limits/rate-limiter.ts';
import type { SecurityLog } from '../access/trail/security-log.ts';
import type { Route } from '../dialects/route.ts';
import { whenReady } from '../platform/kernel/awaitable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { boundUnreadBody, hasSmallBody } from './bodies/unread-body.ts';

export interface AuthenticationDeps {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly failureLimiter: FailureLimiter;
  readonly securityLog: Pick<SecurityLog, 'record'>;
}

/** Makes the check of one route. */
export type Authenticate = (route: Pick<Route, 'answersLimit'>) => onRequestHookHandler;

/**
 * Lets a request with a valid API key pass, within its rate limit; 401, 429 or 503 otherwise. A key is checked before
 * it is refused, also from an address that failed too often: it may share the address, of a proxy say, with whoever
 * failed.
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
      const refusal = whenReady(deps.rateLimiter.consume(caller.apiKeyId), (decision) =>
        refusalOf(deps, route, decision, request, reply),
      );
      void whenReady(refusal, done, (error) => done(error as Error));
    };
    return (request, reply, done) => {
      const key = presentedKey(request.headers);
      const known = deps.authenticator.known(key, shownOn(request.raw.socket));
      if (known) admit(known, request, reply, done);
      else {
        identify(deps, key, request, reply).then(
          (caller) => admit(caller, request, reply, done),
          (refusal) => {
            boundUnreadBody(request.raw);
            done(refusal);
          },
        );
      }
    };
  };
}

const shownKeys = new WeakMap<Socket, ShownKey>();

function shownOn(socket: Socket): ShownKey {
  const known = shownKeys.get(socket);
  if (known) return known;
  const shown = new ShownKey();
  shownKeys.set(socket, shown);
  return shown;
}

/**
 * Tells the client of its limit. When it is used up, returns the error that refuses the request, unless the route says
 * so itself, for which its body has to be small: one that is not read costs nothing.
 */
function refusalOf(
  { securityLog }: AuthenticationDeps,
  route: Pick<Route, 'answersLimit'>,
  decision: LimitDecision,
  request: FastifyRequest,
  reply: FastifyReply,
): GatewayError | undefined {
  announceLimit(reply, decision);
  if (decision.allowed) return undefined;
  recordLimited(securityLog, request);
  const refusal = tooMany(decision, 'The rate limit of this API key is used up.');
  if (hasSmallBody(request.headers) && route.answersLimit?.(toSigns(request))) {
    request.limited = refusal;
    return undefined;
  }
  boundUnreadBody(request.raw);
  return refusal;
}

function recordLimited(securityLog: Pick<SecurityLog, 'record'>, request: FastifyRequest): void {
  const { caller, clientAddress: address, id: requestId } = request;
  const fields = { tenant: caller?.tenantSlug, apiKeyId: caller?.apiKeyId, address, requestId };
  securityLog.record('rate_limited', fields, caller?.apiKeyId);
}

const toSigns = ({ headers, query }: FastifyRequest) => ({
  headers,
  query: query as Record<string, unknown>,
});

/** Finds the caller of a key that this process does not know. Every refusal of a key looks the same. */
async function identify(
  { authenticator, failureLimiter, securityLog }: AuthenticationDeps,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  if (showsNoKey(request.headers)) throw challenge(reply);
  const { clientAddress: address, id: requestId } = request;
  const source = addressBlock(address);
  const blocked = failureLimiter.isBlocked(address);
  const onLookUp = (): void => {
    if (blocked && !failureLimiter.mayLookUp(address)) throw tooManyFailures(blocked);
  };
  try {
    return await authenticator.authenticate(key, { source, onLookUp });
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : 'internal';
    if (code === 'overloaded')
      securityLog.record('auth_overloaded', { address, requestId }, source);
    if (code !== 'unauthenticated' && code !== 'rate_limited') throw error;
    securityLog.record(blocked ? 'auth_blocked' : 'auth_failed', { address, requestId }, source);
    if (blocked) throw tooManyFailures(blocked);
    await failureLimiter.recordFailure(address);
    throw challenge(reply);
  }
}

/** No key at all is how many clients begin: they are asked for one, and it is no failure. */
const showsNoKey = ({ authorization, 'x-api-key': own }: FastifyRequest['headers']): boolean =>
  !authorization && !own;

function challenge(reply: FastifyReply): GatewayError {
  reply.header('www-authenticate', 'Bearer');
  return new GatewayError('unauthenticated');
}

/**
 * The key a client shows, in either header; an empty string when there is none, or when the two disagree
 * (docs/contract.md#authentication). A query string is never read.
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

const tooManyFailures = (blocked: LimitDecision): GatewayError =>
  tooMany(blocked, 'Too many failed authentications from this address.');

function tooMany(decision: LimitDecision, message: string): GatewayError {
  const { retryAfterSeconds } = decision;
  return new GatewayError('rate_limited', `${message} Retry in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}
