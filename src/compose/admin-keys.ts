import { createApiKeyStore } from '../access/keys/api-key-store.ts';
import { rateLimitsOf } from '../access/keys/rate-limit-cap.ts';
import { namesOf } from '../access/people/names-of.ts';
import type { ConnectRoutesDeps } from '../dialects/admin/connect.ts';
import type { KeyToolsDeps } from '../dialects/admin/key-tools.ts';
import type { KeyRoutesDeps } from '../dialects/admin/keys.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { Registered } from './registered.ts';
import type { Storage } from './storage.ts';

export type AdminKeyDeps = KeyRoutesDeps & KeyToolsDeps & ConnectRoutesDeps;

/** What the dashboard's routes for API keys need. */
export const createAdminKeyDeps = (
  { settings, clock, catalog }: GatewayContext,
  { database: { db }, statistics }: Storage,
  { authenticator, registrations }: Core & Registered,
): AdminKeyDeps => ({
  keysOf: ({ id: actor, isOperator }) =>
    createApiKeyStore({
      db,
      clock,
      actor,
      isOperator,
      rateLimitCap: settings.RATE_LIMIT_PER_MINUTE,
    }),
  rateLimits: rateLimitsOf(settings),
  usage: statistics,
  ownerNames: (personIds) => namesOf(db, personIds),
  clock,
  // Other replicas follow within a second; while the database is away, so does this one.
  onChanged: () => authenticator.refresh().catch(() => undefined),
  catalog,
  ready: registrations.ready,
  baseUrl: settings.BASE_URL,
});
