import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import type { FetchJson } from '../access/oauth/key-sets.ts';
import { createOAuthAddresses } from '../access/oauth/oauth-addresses.ts';
import type { OAuthServer } from '../access/oauth/oauth-server.ts';
import { Deadline } from '../platform/kernel/deadline.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { lazily } from '../platform/kernel/lazily.ts';
import { localHost } from '../platform/kernel/url-host.ts';
import type { DocumentFetcher } from '../upstreams/guard/document-fetcher.ts';
import type { Core } from './core.ts';
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
  { database, vault, shared }: Storage,
  { authenticator, guarded }: Pick<Core, 'authenticator' | 'guarded'>,
  boundPort: () => number,
) {
  const isOn = settings.OAUTH === 'on' && vault.keyId !== null;
  if (settings.OAUTH === 'on' && !isOn) logger.warn(NO_KEY);
  const policy = settings.OAUTH_CLIENTS;
  const takesDocuments = settings.OAUTH_CLIENT_DOCUMENTS === 'on' && policy !== 'off';
  const addresses = createOAuthAddresses({
    takesRegistrations: policy === 'any',
    takesDocuments,
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
    return createOAuthServer({ ...changes, vault, addresses, graceMs, policy, fetchJson });
  });
  const server = async (): Promise<OAuthServer> => {
    if (isOn) return load();
    throw new GatewayError('not_found', 'This gateway has no sign-in for hosts.');
  };
  const rateLimiter = createRateLimiter({
    ...shared('oauth'),
    limitPerMinute: REQUESTS_PER_MINUTE,
  });
  return { isOn, addresses, server, rateLimiter, changes, grantDays: settings.OAUTH_GRANT_DAYS };
}

/** How long a person waits for the document of a host. */
const FETCH_MS = 2500;

/** What is small is not charged. */
const UNCHARGED = { take: () => true, give: () => undefined };

const createFetchJson =
  ({ fetch }: DocumentFetcher): FetchJson =>
  async (url, maxBytes) => {
    const deadline = Deadline.in(FETCH_MS);
    const options = { deadline, tenantId: 'oauth', memory: UNCHARGED, maxBytes };
    return JSON.parse((await fetch(url, options)).bytes.toString());
  };

const NO_KEY =
  'Sign-in from hosts is off: ENCRYPTION_KEY is not set. Set it to the output of "openssl rand -base64 32", the same on every gateway.';
