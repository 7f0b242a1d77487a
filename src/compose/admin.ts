import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import type { People } from '../access/people/people.ts';
import { type AdminTableDeps, createAdminTable } from '../dialects/admin/admin-table.ts';
import { createAdminDialect } from '../dialects/admin/dialect.ts';
import type { Route } from '../dialects/route.ts';
import { createAdminKeyDeps } from './admin-keys.ts';
import { adminStatistics } from './admin-statistics.ts';
import { adminTools } from './admin-tools.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { KeysOfProviders } from './provider-keys.ts';
import type { Registered } from './registered.ts';
import type { Storage } from './storage.ts';

/** Requests of one person to the dashboard; a page that follows something sends one per second. */
const REQUESTS_PER_MINUTE = 600;

/** The gateway with what only the dashboard needs. */
export type AdminParts = Core & Registered & KeysOfProviders & { readonly people: People };

/** The routes of the dashboard, with what they need. */
export function createAdminRoutes(
  context: GatewayContext,
  storage: Storage,
  parts: AdminParts,
): Route[] {
  const { settings } = context;
  return createAdminDialect(
    {
      identify: (cookie) => parts.people.identify([cookie ?? []].flat().join('; ')),
      findTenant: storage.tenants.findBySlug,
      rateLimiter: createRateLimiter({
        ...storage.shared('admin'),
        limitPerMinute: REQUESTS_PER_MINUTE,
      }),
      ownOrigins: [settings.ADMIN_URL, settings.BASE_URL].flatMap((address) =>
        address ? [new URL(address).origin] : [],
      ),
    },
    createAdminTable(createTableDeps(context, storage, parts)),
  );
}

const createTableDeps = (
  context: GatewayContext,
  storage: Storage,
  parts: AdminParts,
): AdminTableDeps => {
  const tools = adminTools(context, storage, parts);
  return {
    people: {
      people: parts.people,
      db: storage.database.db,
      adminUrl: adminUrl(context.settings),
    },
    audit: {
      auditStore: storage.audit.store,
      apiKeys: storage.apiKeys,
      catalog: context.catalog,
      callTool: parts.callTool,
      ready: parts.registrations.ready,
      liveCalls: parts.liveCalls,
      countRun: tools.countRun,
    },
    keys: createAdminKeyDeps(context, storage, parts),
    providerKeys: {
      ...parts,
      catalog: context.catalog,
      findTenant: storage.tenants.findBySlug,
    },
    apis: {
      ...parts,
      statistics: storage.statistics,
      catalog: context.catalog,
      limits: {
        maxDocumentBytes: context.settings.REGISTRATION_MAX_BYTES,
        urls: parts.guarded.urls,
      },
    },
    tools,
    statistics: adminStatistics(context, storage, parts),
  };
};

const adminUrl = ({ ADMIN_URL, BASE_URL }: GatewayContext['settings']): string | undefined =>
  ADMIN_URL ?? (BASE_URL && `${BASE_URL}/admin`);
