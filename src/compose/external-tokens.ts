import type { ExternalTokens } from '../access/keys/authenticator.ts';
import type { ExternalIssuer } from '../access/oauth/external-tokens.ts';
import type { FetchJson } from '../access/oauth/key-sets.ts';
import type { Settings } from '../platform/config/settings.ts';
import { StartupError } from '../platform/kernel/error.ts';
import { lazily } from '../platform/kernel/memo.ts';
import { Deadline } from '../platform/kernel/time.ts';
import type { DocumentFetcher } from '../upstreams/guard/document-fetcher.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** The authorization server of the operator's own, if the settings name one. Throws StartupError. */
export function externalIssuerOf(settings: Settings): ExternalIssuer | undefined {
  const { OAUTH, OAUTH_ISSUER, OAUTH_AUDIENCE, OAUTH_TENANT_CLAIM, OAUTH_TENANT_MAP } = settings;
  if (OAUTH_ISSUER === undefined || OAUTH === 'off') return undefined;
  if (OAUTH_AUDIENCE === undefined || OAUTH_TENANT_CLAIM === undefined) {
    throw new StartupError('OAUTH_ISSUER is set. Set OAUTH_AUDIENCE and OAUTH_TENANT_CLAIM, too.');
  }
  if (OAUTH_ISSUER.startsWith('http:') && !settings.ALLOW_PRIVATE_UPSTREAMS) {
    throw new StartupError(
      'OAUTH_ISSUER must start with https://, unless ALLOW_PRIVATE_UPSTREAMS is true.',
    );
  }
  return {
    issuer: OAUTH_ISSUER,
    audience: OAUTH_AUDIENCE,
    tenantClaim: OAUTH_TENANT_CLAIM,
    tenantMap: new Map(OAUTH_TENANT_MAP),
  };
}

/** The access tokens of another authorization server, read with the first of them. Throws StartupError. */
export function createExternal(
  { settings, clock }: GatewayContext,
  { database, tenants }: Storage,
  { issuerDocuments }: { readonly issuerDocuments: DocumentFetcher },
): ExternalTokens | undefined {
  const external = externalIssuerOf(settings);
  if (!external) return undefined;
  const load = lazily(async () => {
    const { createExternalTokens } = await import('../access/oauth/external-tokens.ts');
    const fetchJson = createFetchJson(issuerDocuments);
    const { db } = database;
    return createExternalTokens({ external, fetchJson, db, clock, findTenant: tenants.findBySlug });
  });
  return {
    isToken: (text) => SIGNED_TOKEN.test(text),
    find: async (token) => (await load())(token),
  };
}

/** Three parts in base64url, of which the first is a JSON object (RFC 7515 section 3.1). */
const SIGNED_TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** How long a person waits for the document of a host. */
const FETCH_MS = 2500;

/** What is small is not charged. */
const UNCHARGED = { take: () => true, give: () => undefined };

/** Fetches JSON within the patience of a person. */
export const createFetchJson =
  ({ fetch }: DocumentFetcher): FetchJson =>
  async (url, maxBytes) => {
    const deadline = Deadline.in(FETCH_MS);
    const options = { deadline, tenantId: 'oauth', memory: UNCHARGED, maxBytes };
    return JSON.parse((await fetch(url, options)).bytes.toString());
  };
