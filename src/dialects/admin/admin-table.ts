import type { Kysely } from 'kysely';
import type { People } from '../../access/people/people.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { AdminRoutes } from './admin-route.ts';
import { type AuditRoutesDeps, createAuditRoutes } from './audit.ts';
import { type AuditNamesDeps, createAuditNamesRoutes } from './audit-names.ts';
import { type CatalogueRoutesDeps, createCatalogueRoutes } from './catalogue.ts';
import { type ConnectRoutesDeps, createConnectRoutes } from './connect.ts';
import { createHomeRoutes, type HomeRoutesDeps } from './home.ts';
import { createJoinRoutes } from './join.ts';
import { createKeyToolRoutes, type KeyToolsDeps } from './key-tools.ts';
import { createKeyRoutes, type KeyRoutesDeps } from './keys.ts';
import { createLiveRoutes, type LiveRoutesDeps } from './live.ts';
import { createMeRoutes } from './me.ts';
import { createMemberRoutes } from './members.ts';
import { createPeopleRoutes } from './people.ts';
import { createPlaygroundRoutes, type PlaygroundRoutesDeps } from './playground.ts';
import { createProviderKeyRoutes, type ProviderKeyRoutesDeps } from './provider-keys.ts';
import { type ApiRouteDeps, createApiRoutes } from './registrations.ts';
import { createSessionRoutes } from './session.ts';
import { createStatisticsRoutes, type StatisticsRoutesDeps } from './statistics.ts';
import { createStatusRoutes } from './statistics-status.ts';
import { createTenantRoutes } from './tenants.ts';
import { createTrailRoutes } from './trail.ts';

/** What the routes of each part of the dashboard need. */
export interface AdminTableDeps {
  readonly people: {
    readonly people: People;
    readonly db: Kysely<Tables>;
    /** Where the dashboard is; undefined if no setting says so. */
    readonly adminUrl: string | undefined;
  };
  readonly audit: AuditRoutesDeps & AuditNamesDeps & LiveRoutesDeps;
  readonly keys: KeyRoutesDeps & KeyToolsDeps & ConnectRoutesDeps;
  readonly providerKeys: ProviderKeyRoutesDeps;
  readonly tools: HomeRoutesDeps & CatalogueRoutesDeps & PlaygroundRoutesDeps;
  readonly apis: ApiRouteDeps;
  readonly statistics: StatisticsRoutesDeps;
}

/** Every route of the dashboard. Its type is that of the dashboard's client. */
export const createAdminTable = (deps: AdminTableDeps) =>
  ({
    ...createSessionRoutes(deps.people.people),
    ...createMeRoutes(deps.people.people),
    ...createJoinRoutes(deps.people.people),
    ...createMemberRoutes(deps.people),
    ...createTenantRoutes(deps.people.people),
    ...createPeopleRoutes(deps.people.people),
    ...createTrailRoutes(deps.people),
    ...createAuditRoutes(deps.audit),
    ...createAuditNamesRoutes(deps.audit),
    ...createLiveRoutes(deps.audit),
    ...createConnectRoutes(deps.keys),
    ...createKeyRoutes(deps.keys),
    ...createKeyToolRoutes(deps.keys),
    ...createProviderKeyRoutes(deps.providerKeys),
    ...createHomeRoutes(deps.tools),
    ...createCatalogueRoutes(deps.tools),
    ...createPlaygroundRoutes(deps.tools),
    ...createApiRoutes(deps.apis),
    ...createStatisticsRoutes(deps.statistics),
    ...createStatusRoutes(deps.statistics),
  }) satisfies AdminRoutes;

export type AdminTable = ReturnType<typeof createAdminTable>;
