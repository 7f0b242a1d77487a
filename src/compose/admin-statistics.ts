import { keyNamesOf } from '../access/keys/key-names.ts';
import { namesOf } from '../access/people/names-of.ts';
import type { StatisticsRoutesDeps } from '../dialects/admin/statistics.ts';
import { createDependencyChecks } from '../platform/kernel/dependency-checks.ts';
import type { Core } from './core.ts';
import { dependenciesOf } from './dependencies.ts';
import { upstreamsInUse } from './health.ts';
import type { GatewayContext } from './options.ts';
import type { Registered } from './registered.ts';
import type { Storage } from './storage.ts';

/** What the dashboard's routes for statistics need. */
export const adminStatistics = (
  { clock, catalog }: GatewayContext,
  storage: Storage,
  core: Core & Registered,
): StatisticsRoutesDeps => {
  const { db } = storage.database;
  return {
    clock,
    catalog,
    statistics: storage.statistics,
    ready: core.registrations.ready,
    keyNames: async (ids) => new Map([...(await keyNamesOf(db, ids)), ...(await namesOf(db, ids))]),
    tenants: storage.tenants.list,
    checkDependencies: createDependencyChecks(dependenciesOf(storage)),
    upstreamsFor: (caller) => upstreamsInUse({ catalog, ...core }, caller),
    allUpstreams: core.upstreams.states,
  };
};
