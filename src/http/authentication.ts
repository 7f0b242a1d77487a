import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Authenticator, ShownKey } from '../access/keys/authenticator.ts';
import type { CallerLimiter } from '../access/limits/caller-limiter.ts';
import { addressBlock, type FailureLimiter } from '../access/limits/failure-limiter.ts';
import { type LimitDecision, nameOfLimit, reasonOf } from '../access/limits/limit-decision.ts';
import type { WrongKeys } from '../access/limits/wrong-keys.ts';
import type { SecurityLog } from '../access/trail/security-log.ts';
import type { Route } from '../dialects/route.ts';
import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { memoizeEach } from '../platform/kernel/memo.ts';
import type { CountRefusal } from '../platform/kernel/refusal.ts';
import { boundUnreadBody, hasSmallBody } from './bodies/unread-body.ts';

export interface AuthenticationDeps {
  readonly authenticator: Authenticator;
  readonly limiter: CallerLimiter;
  readonly failureLimiter: FailureLimiter;
  readonly securityLog: Pick<SecurityLog, 'record'>;
  readonly refused: CountRefusal;
  readonly wrongKeys: Pick<WrongKeys, 'count'>;
  /** Prepares the tools of an admitted caller; undefined if they are ready. May reject with a GatewayError. */
  readonly prepare: (caller: Caller) => Awaitable<void>;
  /** What 401 asks for at an address where hosts may sign in; undefined while they may not. */
  readonly challengeFor?: ((path: string, host: string | undefined) => string) | undefined;
}

/** Creates the authentication hook of one route. */
export type Authenticate = (
  route: Pick<Route, 'reportsRateLimit' | 'needsNoTools' | 'acceptsGrants'>,
) => onRequestHookHandler;

/**
 * Admits a request with a valid API key within its rate limit; otherwise 401, 429 or 503. A key is checked even if its
 * address is blocked for failures: it may share that address, such as a proxy's, with the client that failed.
 */
export function createAuthenticate(deps: AuthenticationDeps): Authenticate {
  return (route) => {
    const prepare = route.needsNoTools ? none : deps.prepare;
    const admit = (
      caller: Caller,
      request: FastifyRequest,
      reply: FastifyReply,
      done: (refusal?: Error) => void,
    ): void => {
      request.caller = caller;
      if (caller.isGrant && !route.acceptsGrants) {
        boundUnreadBody(request.raw);
        done(insufficientScope(reply));
        return;
      }
      const refusal = whenReady(
        deps.limiter.consume(caller),
        (decision): Awaitable<Error | undefined> =>
          refusalOf(deps, route, decision, reply) ?? whenReady(prepare(caller), none),
      );
      void whenReady(refusal, done, (error) => {
        boundUnreadBody(request.raw);
        done(error as Error);
      });
    };
    return (request, reply, done) => {
      const key = keyIn(request.headers, deps.authenticator);
      const known = deps.authenticator.known(key, shownOn(request.raw.socket));
      if (known) admit(known, request, reply, done);
      else {
        identify(deps, key, request).then(
          (caller) => admit(caller, request, reply, done),
          (refusal) => {
            if (refusal instanceof GatewayError && refusal.code === 'unauthenticated') {
              challenge(deps, route, key, reply);
            }
            boundUnreadBody(request.raw);
            done(refusal);
          },
        );
      }
    };
  };
}

const none = (): undefined => undefined;

const shownOn = memoizeEach((_socket: Socket) => new ShownKey());

/**
 * Announces the limit to the client. Once it is exceeded, returns the error that refuses the request, unless the route
 * encodes the refusal itself. For that, the body must be small: a body that is not read costs nothing.
 */
function refusalOf(
  { securityLog, refused }: AuthenticationDeps,
  route: Pick<Route, 'reportsRateLimit'>,
  decision: LimitDecision,
  reply: FastifyReply,
): GatewayError | undefined {
  announceLimit(reply, decision);
  if (decision.allowed) return undefined;
  const { request } = reply;
  const { headers, caller, clientAddress: address, id: requestId } = request;
  const fields = { tenant: caller?.tenantSlug, apiKeyId: caller?.apiKeyId, address, requestId };
  securityLog.record('rate_limited', fields, caller?.apiKeyId);
  if (caller) refused(caller, reasonOf(decision));
  const refusal = tooMany(decision, `The ${nameOfLimit(decision)} is used up.`);
  const query = request.query as Record<string, unknown>;
  if (hasSmallBody(headers) && route.reportsRateLimit?.({ headers, query })) {
    request.limited = refusal;
    return undefined;
  }
  boundUnreadBody(request.raw);
  return refusal;
}

/** Finds the caller of a key that this process does not know. Every invalid key gets the same refusal. */
async function identify(
  { authenticator, failureLimiter, securityLog, wrongKeys }: AuthenticationDeps,
  key: string,
  request: FastifyRequest,
): Promise<Caller> {
  const { headers, clientAddress: address, id: requestId } = request;
  // Many clients start without a key. They get the challenge, and it does not count as a failure.
  if (!headers.authorization && !headers['x-api-key']) throw new GatewayError('unauthenticated');
  const source = addressBlock(address);
  // Tokens expire in the ordinary course. Hosts that share an address must learn that from 401, whatever others do there.
  if (authenticator.isToken(key)) return identifyByToken(authenticator, key, source);
  const blocked = failureLimiter.refusalFor(address);
  const tooManyFailures = 'Too many failed authentications from this address.';
  const onLookUp = (): void => {
    if (blocked && !failureLimiter.mayLookUp(address)) throw tooMany(blocked, tooManyFailures);
  };
  try {
    return await authenticator.authenticate(key, { source, onLookUp });
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : 'internal';
    if (code === 'overloaded')
      securityLog.record('auth_overloaded', { address, requestId }, source);
    if (code !== 'unauthenticated' && code !== 'rate_limited') throw error;
    wrongKeys.count(source);
    securityLog.record(blocked ? 'auth_blocked' : 'auth_failed', { address, requestId }, source);
    if (blocked) throw tooMany(blocked, tooManyFailures);
    await failureLimiter.recordFailure(address);
    throw error;
  }
}

async function identifyByToken(
  authenticator: Authenticator,
  token: string,
  source: string,
): Promise<Caller> {
  try {
    return await authenticator.authenticate(token, { source });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'unauthenticated') throw error;
    throw new GatewayError('unauthenticated', TOKEN_ENDED);
  }
}

const TOKEN_ENDED = 'The access token is not known, has expired or was ended. Sign in again.';

/** Says how to authenticate (RFC 6750 section 3, RFC 9728 section 5.1). Refused API keys all get the same. */
function challenge(
  { challengeFor, authenticator }: AuthenticationDeps,
  { acceptsGrants }: Pick<Route, 'acceptsGrants'>,
  key: string,
  reply: FastifyReply,
): void {
  const { routeOptions, headers } = reply.request;
  const asked = acceptsGrants && challengeFor?.(routeOptions.url ?? '', headers.host);
  const invalid = asked && authenticator.isToken(key) ? ', error="invalid_token"' : '';
  reply.header('www-authenticate', asked ? `Bearer ${asked}${invalid}` : 'Bearer');
}

function insufficientScope(reply: FastifyReply): GatewayError {
  reply.header('www-authenticate', 'Bearer error="insufficient_scope"');
  return new GatewayError(
    'forbidden',
    'A connected app may use /mcp and /mcp/sse only. Use an API key here.',
  );
}

/**
 * The key that a client shows in either header; an empty string when it shows none or two different ones
 * (docs/contract.md#authentication). A text that can open nothing is no key: hosts and proxies fill a header with their own
 * sign-in, or with a placeholder. A query string is never read.
 */
function keyIn(headers: FastifyRequest['headers'], { isKey }: Pick<Authenticator, 'isKey'>) {
  const own = headers['x-api-key'];
  const shown = typeof own === 'string' ? own : '';
  if (headers.authorization === undefined) return shown;
  const bearer = BEARER.exec(headers.authorization)?.[1] ?? '';
  if (shown === bearer || !isKey(bearer)) return shown || bearer;
  return isKey(shown) ? '' : bearer;
}

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Sets `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). The latter rarely changes, so it comes
 * only with a refusal: every header costs as much as the check itself.
 */
function announceLimit(reply: FastifyReply, decision: LimitDecision): void {
  if (decision.day !== undefined) {
    announceDay(reply, decision, decision.day);
    return;
  }
  if (decision.limit === 0) return;
  const policy = policyOf(decision);
  if (!decision.allowed) reply.header('ratelimit-policy', `${policy};q=${decision.limit};w=60`);
  reply.header('ratelimit', `${policy};r=${decision.remaining};t=${decision.resetSeconds}`);
}

/** The same for a key with a daily limit, and perhaps without a limit per minute. */
function announceDay(reply: FastifyReply, minute: LimitDecision, day: LimitDecision): void {
  const hasMinute = minute.limit > 0;
  const policy = policyOf(minute);
  if (!day.allowed) {
    const perMinute = hasMinute ? `, ${policy};q=${minute.limit};w=60` : '';
    reply.header('ratelimit-policy', `"day";q=${day.limit};w=86400${perMinute}`);
  }
  const left = hasMinute ? `, ${policy};r=${minute.remaining};t=${minute.resetSeconds}` : '';
  reply.header('ratelimit', `"day";r=${day.remaining};t=${day.resetSeconds}${left}`);
}

const policyOf = ({ isTenants }: LimitDecision): string => (isTenants ? '"tenant"' : '"key"');

const tooMany = ({ retryAfterSeconds }: LimitDecision, message: string): GatewayError =>
  new GatewayError('rate_limited', `${message} Retry in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
