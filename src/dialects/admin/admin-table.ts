import type { Kysely } from 'kysely';
import { createKeyOperations, type KeyOperationsDeps } from '../../access/keys/operations.ts';
import { createClientOperations } from '../../access/oauth/operations.ts';
import {
  createPeopleOperations,
  type PeopleOperationsDeps,
} from '../../access/people/operations.ts';
import type { People } from '../../access/people/people.ts';
import { createTrailOperations } from '../../access/trail/operations.ts';
import { createAuditOperations } from '../../audit/operations.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import {
  createProblemOperations,
  type ProblemOperationsDeps,
} from '../../calls/problems/operations.ts';
import {
  createProviderKeyOperations,
  type ProviderKeyOperationsDeps,
} from '../../calls/provider-keys/operations.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Operations } from '../../platform/input/operation.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import {
  type ChangeOperationsDeps,
  createChangeOperations,
  createRegistrationOperations,
  type RegistrationOperationsDeps,
} from '../../registrations/operations.ts';
import {
  createStatisticsOperations,
  type StatisticsOperationsDeps,
} from '../../statistics/operations.ts';
import {
  createProposalOperations,
  type ProposalOperationsDeps,
} from '../json-rpc/proposal-operations.ts';
import type { AdminRoutes } from './admin-route.ts';
import { type AuditRoutesDeps, createAuditRoutes } from './audit.ts';
import { type CatalogueRoutesDeps, createCatalogueRoutes } from './catalogue.ts';
import { type ConnectRoutesDeps, createConnectRoutes } from './connect.ts';
import { type ConnectAppsDeps, createConnectAppsRoutes } from './connect-apps.ts';
import { createFindRoutes } from './find.ts';
import { createHomeRoutes, type HomeRoutesDeps } from './home.ts';
import { createKeyToolRoutes, type KeyToolsDeps } from './key-tools.ts';
import { createLiveRoutes, type LiveRoutesDeps } from './live.ts';
import { createPlaygroundRoutes, type PlaygroundRoutesDeps } from './playground.ts';
import { createProviderKeyRoutes, type ProviderKeyRoutesDeps } from './provider-keys.ts';
import {
  createRegistrationRoutes,
  type RegistrationRouteDeps,
} from './registrations/registration-routes.ts';
import { createJoinRoutes, createMeRoutes, createSessionRoutes } from './session.ts';
import { createTrailRoutes } from './trail.ts';

/** What the routes of each part of the dashboard need. */
export interface AdminTableDeps {
  readonly people: PeopleOperationsDeps & {
    readonly people: People;
    readonly db: Kysely<Tables>;
    readonly clock: Clock;
  };
  readonly audit: AuditRoutesDeps & LiveRoutesDeps & { readonly auditStore: AuditStore };
  readonly keys: KeyOperationsDeps & KeyToolsDeps & ConnectRoutesDeps;
  readonly apps: ConnectAppsDeps;
  readonly providerKeys: ProviderKeyOperationsDeps & ProviderKeyRoutesDeps;
  readonly tools: HomeRoutesDeps & CatalogueRoutesDeps & PlaygroundRoutesDeps;
  readonly apis: RegistrationOperationsDeps &
    ChangeOperationsDeps &
    ProposalOperationsDeps &
    RegistrationRouteDeps;
  readonly statistics: StatisticsOperationsDeps;
  readonly problems: ProblemOperationsDeps;
}

/** Every operation: what people manage in the dashboard, and keys with a scope over REST and as tools. */
export const createOperations = (deps: AdminTableDeps) => ({
  ...createPeopleOperations(deps.people),
  ...createTrailOperations(deps.people),
  ...createAuditOperations(deps.audit),
  ...createClientOperations(deps.people),
  ...createKeyOperations(deps.keys),
  ...createProviderKeyOperations(deps.providerKeys),
  ...createRegistrationOperations(deps.apis),
  ...createChangeOperations(deps.apis),
  ...createProposalOperations(deps.apis),
  ...createStatisticsOperations(deps.statistics),
  ...createProblemOperations(deps.problems),
});

/** Every route of the dashboard. The dashboard's client has its type. */
export const createAdminTable = (deps: AdminTableDeps) =>
  ({
    ...createOperations(deps),
    ...createSessionRoutes(deps.people.people),
    ...createMeRoutes(deps.people.people),
    ...createJoinRoutes(deps.people.people),
    ...createTrailRoutes(deps.people),
    ...createFindRoutes(deps.people),
    ...createAuditRoutes(deps.audit),
    ...createLiveRoutes(deps.audit),
    ...createConnectRoutes(deps.keys),
    ...createConnectAppsRoutes(deps.apps),
    ...createKeyToolRoutes(deps.keys),
    ...createProviderKeyRoutes(deps.providerKeys),
    ...createHomeRoutes(deps.tools),
    ...createCatalogueRoutes(deps.tools),
    ...createPlaygroundRoutes(deps.tools),
    ...createRegistrationRoutes(deps.apis),
  }) satisfies AdminRoutes;

export type AdminTable = ReturnType<typeof createAdminTable>;

/** The operations of a table: what keys with a scope may do, too. */
export const operationsIn = (table: AdminRoutes): Operations =>
  Object.fromEntries(Object.entries(table).filter(([, route]) => 'output' in route)) as Operations;
