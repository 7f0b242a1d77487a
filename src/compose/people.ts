import type { OidcSettings } from '../access/people/auth.ts';
import { createPeople, type People } from '../access/people/people.ts';
import type { Settings } from '../platform/config/settings.ts';
import { StartupError } from '../platform/kernel/startup-error.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** The people who may sign in to the dashboard. Throws StartupError for incomplete settings. */
export function openPeople(context: GatewayContext, storage: Storage): People {
  const { settings, clock, logger, securityLog } = context;
  const { database, vault, shared } = storage;
  return createPeople({
    db: database.db,
    backend: database.backend,
    vault,
    clock,
    logger,
    securityLog,
    baseUrl: settings.ADMIN_URL ?? settings.BASE_URL ?? `http://localhost:${settings.PORT}`,
    oidc: oidcOf(settings),
    failuresPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
    shared,
  });
}

function oidcOf(settings: Settings): OidcSettings | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, BASE_URL } = settings;
  if (!OIDC_ISSUER) return undefined;
  if (!OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET || !BASE_URL) {
    throw new StartupError(
      'OIDC_ISSUER is set. Set OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and BASE_URL, too.',
    );
  }
  return { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET };
}
