import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { createOAuthAddresses } from '../access/oauth/oauth-addresses.ts';
import type { OAuthServer } from '../access/oauth/oauth-server.ts';
import {
  createOAuthProbes,
  createOAuthRoutes,
  createResourceRoutes,
} from '../dialects/rest/oauth.ts';
import type { Route } from '../dialects/route.ts';
import type { Settings } from '../platform/config/settings.ts';
import { isLoopbackHost, localHost, urlHost } from '../platform/kernel/addresses.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { lazily } from '../platform/kernel/memo.ts';
import type { Core } from './core.ts';
import { createFetchJson, externalIssuerOf } from './external-tokens.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** Requests of one address block. A hosted assistant calls for all of its users from a few. */
const REQUESTS_PER_MINUTE = 1200;

export type SignInFromHosts = ReturnType<typeof createSignInFromHosts>;

/**
 * Sign-in from hosts. The authorization server is loaded with the first request, so that a gateway which no host asks has none
 * in its memory. `boundPort` is where the gateway listens.
 */
export function createSignInFromHosts(
  { settings, clock, logger }: GatewayContext,
  { database, vault, tokens, shared }: Storage,
  { authenticator, guarded }: Pick<Core, 'authenticator' | 'guarded'>,
  boundPort: () => number,
) {
  const externalIssuer = externalIssuerOf(settings)?.issuer;
  const isWanted = wantsSignIn(settings) && externalIssuer === undefined;
  const isOn = isWanted && vault.keyId !== null;
  if (isWanted && !isOn) logger[settings.OAUTH === 'on' ? 'warn' : 'info'](NO_KEY);
  const policy = settings.OAUTH_CLIENTS;
  const takesDocuments = settings.OAUTH_CLIENT_DOCUMENTS === 'on' && policy !== 'off';
  const addresses = createOAuthAddresses({
    takesRegistrations: policy === 'any',
    takesDocuments,
    externalIssuer,
    baseUrl: settings.BASE_URL,
    listensAt: () => `http://${localHost(settings.HOST)}:${boundPort()}`,
  });
  const changes = {
    db: database.db,
    clock,
    // Other replicas follow within a second; while the database is away, so does this one.
    onChanged: () => authenticator.refresh().catch(() => undefined),
  };
  const load = lazily(async () => {
    const { createOAuthServer } = await import('../access/oauth/oauth-server.ts');
    const graceMs = settings.OAUTH_REFRESH_GRACE_SECONDS * 1000;
    const fetchJson = takesDocuments ? createFetchJson(guarded.publicDocuments) : undefined;
    return createOAuthServer({
      ...changes,
      ...{ vault, tokens, addresses, graceMs, policy, fetchJson },
    });
  });
  const server = async (): Promise<OAuthServer> => {
    if (isOn) return load();
    throw new GatewayError('not_found', 'This gateway has no sign-in for hosts.');
  };
  const rateLimiter = createRateLimiter({
    ...shared('oauth'),
    limitPerMinute: REQUESTS_PER_MINUTE,
  });
  const routes = (): Route[] => {
    if (isOn) return createOAuthRoutes({ addresses, server, rateLimiter });
    if (externalIssuer === undefined) return createOAuthProbes();
    return [...createResourceRoutes(addresses), ...createOAuthProbes(true)];
  };
  const canSignIn = isOn || externalIssuer !== undefined;
  return {
    routes,
    canSignIn,
    challengeFor: canSignIn ? addresses.challengeFor : undefined,
    server,
    changes,
    grantDays: settings.OAUTH_GRANT_DAYS,
  };
}

/** Tokens must not travel in the clear, except on this machine. */
function wantsSignIn({ OAUTH, BASE_URL, HOST }: Settings): boolean {
  if (OAUTH !== undefined) return OAUTH === 'on';
  if (BASE_URL === undefined) return isLoopbackHost(urlHost(HOST));
  const { protocol, host } = new URL(BASE_URL);
  return protocol === 'https:' || isLoopbackHost(host);
}

const NO_KEY =
  'Sign-in from hosts is off: ENCRYPTION_KEY is not set. Set it to the output of "openssl rand -base64 32", the same on every gateway.';
