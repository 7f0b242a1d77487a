import { keyNamesOf, keyTenantsOf, listKeys } from '../access/keys/api-key-record.ts';
import { createApiKeyStore } from '../access/keys/api-key-store.ts';
import { rateLimitsOf } from '../access/keys/key-change.ts';
import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { findPerson, namesOf } from '../access/people/find-person.ts';
import type { People } from '../access/people/people.ts';
import { createFailingTools, type FailingTools } from '../calls/problems/failing-tools.ts';
import type { ProblemOperationsDeps } from '../calls/problems/operations.ts';
import { keysStateOf } from '../calls/provider-keys/datasets.ts';
import {
  type AdminTableDeps,
  createAdminTable,
  operationsIn,
} from '../dialects/admin/admin-table.ts';
import { createAdminDialect } from '../dialects/admin/dialect.ts';
import type { PlaygroundRoutesDeps } from '../dialects/admin/playground.ts';
import type { ManageTools } from '../dialects/gateway-tools/own-response.ts';
import { createAuthorise } from '../dialects/manage/authority.ts';
import {
  createManageRoutes,
  createTenantRoutes,
  type ManageDeps,
} from '../dialects/manage/manage-routes.ts';
import { createManageTools } from '../dialects/manage/manage-tools.ts';
import { encodeError, encodeOutcome } from '../dialects/plain/encode.ts';
import type { Route } from '../dialects/route.ts';
import { runQuery } from '../platform/database/database-error.ts';
import { release } from '../platform/kernel/version.ts';
import { normaliseSample, readSample } from '../public-data/preset-samples.ts';
import { MAX_REGISTRATIONS } from '../registrations/store/registration-bounds.ts';
import { createPresetDetails } from '../tools/catalog/preset-details.ts';
import type { Core } from './core.ts';
import { createFigures } from './figures.ts';
import { createKeyTests } from './key-tests.ts';
import type { SignInFromHosts } from './oauth.ts';
import type { GatewayContext } from './options.ts';
import { readProviderUse } from './quotas.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Registered } from './registered.ts';
import type { Storage } from './storage.ts';

const DAY_MS = 86_400_000;

/** Requests of one person to the dashboard; a page that follows something sends one per second. */
const REQUESTS_PER_MINUTE = 600;

/** Tools that one person may run in the dashboard. */
const RUNS_PER_MINUTE = 60;

/** The gateway with what only the dashboard needs. */
export type AdminParts = Core & Registered & ReadinessParts & { readonly people: People };

type ManagementParts = AdminParts & { readonly hosts: SignInFromHosts };

/** The dashboard's API, and what keys with a scope manage over REST and as tools: one table of operations. */
export function createManagement(
  context: GatewayContext,
  storage: Storage,
  parts: ManagementParts,
): { readonly routes: readonly Route[]; readonly tools: ManageTools } {
  const { ADMIN_URL, BASE_URL } = context.settings;
  const { database, tenants, shared } = storage;
  const table = createTable(context, storage, parts);
  const adminRoutes = createAdminDialect(
    {
      identify: (cookie) => parts.people.identify([cookie ?? []].flat().join('; ')),
      findTenant: tenants.findBySlug,
      rateLimiter: createRateLimiter({ ...shared('admin'), limitPerMinute: REQUESTS_PER_MINUTE }),
      ownOrigins: [ADMIN_URL, BASE_URL].flatMap((url) => (url ? [new URL(url).origin] : [])),
    },
    table,
  );
  const manage: ManageDeps = {
    operations: operationsIn(table),
    authorise: createAuthorise({
      findPerson: (id) => runQuery(() => findPerson(database.db, id)),
      findTenant: tenants.findBySlug,
    }),
  };
  return {
    routes: [
      ...adminRoutes,
      ...createTenantRoutes(manage.operations),
      ...createManageRoutes(manage),
    ],
    tools: createManageTools(manage),
  };
}

/** Every route of the dashboard, with what it needs. */
function createTable(context: GatewayContext, storage: Storage, parts: ManagementParts) {
  const { settings, clock, catalog } = context;
  const { statistics, tenants, apiKeys, shared } = storage;
  const { db } = storage.database;
  const { people, authenticator, hosts } = parts;
  const { ready } = parts.registrations;
  const { ADMIN_URL, BASE_URL } = settings;
  const runs = createRateLimiter({ ...shared('runs'), limitPerMinute: RUNS_PER_MINUTE });
  const failing = { ...parts, failingTools: openFailingTools(context, storage) };
  return createAdminTable({
    people: { people, db, clock, adminUrl: ADMIN_URL ?? (BASE_URL && `${BASE_URL}/admin`) },
    audit: {
      ...parts,
      auditStore: storage.audit.store,
      apiKeys,
      catalog,
      ready,
      callerNames: async (tenantId) => namesOf(db, await statistics.people(tenantId)),
    },
    keys: {
      keysOf: ({ id: actor, owner, isOperator }) => {
        const rateLimitCap = settings.RATE_LIMIT_PER_MINUTE;
        const grantMs = hosts.grantDays * DAY_MS;
        return createApiKeyStore({ db, clock, actor, owner, isOperator, rateLimitCap, grantMs });
      },
      rateLimits: rateLimitsOf(settings),
      usage: statistics,
      ownerNames: (personIds) => namesOf(db, personIds),
      clock,
      // Other replicas follow within a second; while the database is away, so does this one.
      onChanged: () => authenticator.refresh().catch(() => undefined),
      ...{ catalog, ready, baseUrl: BASE_URL, canSignIn: hosts.canSignIn },
    },
    apps: {
      oauth: hosts.server,
      findTenant: tenants.findBySlug,
      grantDays: hosts.grantDays,
      apps: { ...hosts.changes, usage: statistics },
    },
    providerKeys: {
      ...parts,
      catalog,
      findTenant: tenants.findBySlug,
      testProviderKey: createKeyTests(context, storage, parts),
    },
    apis: {
      ...parts,
      statistics,
      catalog,
      limits: { maxDocumentBytes: settings.REGISTRATION_MAX_BYTES, urls: parts.guarded.urls },
    },
    tools: createToolParts(context, { ...failing, countRun: runs.consume }),
    problems: createProblemParts(context, storage, failing),
    statistics: createStatisticsParts(context, storage, parts),
  });
}

interface WithFailing {
  readonly failingTools: FailingTools;
}

const openFailingTools = (
  { clock }: GatewayContext,
  { audit, statistics }: Storage,
): FailingTools =>
  createFailingTools({ failures: audit.store.failures, lastGood: statistics.lastGood, clock });

/** What finds problems. */
function createProblemParts(
  { catalog, clock }: GatewayContext,
  { database: { db }, statistics, tenants }: Storage,
  parts: ManagementParts & WithFailing,
): ProblemOperationsDeps {
  const { ready, list } = parts.registrations;
  return {
    ...parts,
    catalog,
    clock,
    ready,
    apisOf: async (tenantId) =>
      (await list({ tenantId }, { limit: MAX_REGISTRATIONS })).registrations,
    endingKeys: (tenantId, endsBeforeMs, limit) =>
      runQuery(() => listKeys(db, { tenantId, state: 'active', endsBeforeMs, limit }, clock.now())),
    failingTenants: async (limit) => {
      const failing = await statistics.failingTenants(limit);
      const known = new Map((await tenants.list()).map((tenant) => [tenant.id, tenant]));
      return failing.flatMap((id) => known.get(id) ?? []);
    },
  };
}

/** What figures are read from and named by. */
function createStatisticsParts(
  context: GatewayContext,
  storage: Storage,
  parts: ManagementParts,
): AdminTableDeps['statistics'] {
  const { clock, catalog } = context;
  const { statistics, tenants } = storage;
  const { db } = storage.database;
  return {
    ...parts,
    clock,
    catalog,
    statistics,
    wrongKeys: parts.wrongKeys.most,
    providerUse: () => readProviderUse(context, parts),
    ready: parts.registrations.ready,
    keyNames: async (ids) => new Map([...(await keyNamesOf(db, ids)), ...(await namesOf(db, ids))]),
    keyTenants: (ids) => keyTenantsOf(db, ids),
    tenants: tenants.list,
    checkDependencies: storage.checkDependencies,
    figures: createFigures(context, storage, parts),
    presetOrigins: parts.upstreams.states,
  };
}

/** What pages of tools need. */
function createToolParts(
  context: GatewayContext,
  parts: ManagementParts & WithFailing & Pick<PlaygroundRoutesDeps, 'countRun'>,
): AdminTableDeps['tools'] {
  const { catalog } = context;
  return {
    catalog,
    version: release(),
    gatewayUrl: context.settings.BASE_URL,
    canSignIn: parts.hosts.canSignIn,
    isSandbox: context.isSandbox ?? false,
    ready: parts.registrations.ready,
    readDetails: createPresetDetails(),
    failingTools: parts.failingTools,
    keysOf: (tenantId, entry) => keysStateOf(parts, tenantId, entry),
    hasSecret: (tenantId, name) => parts.keyOf(tenantId)(name) !== undefined,
    codesWithin: parts.codes.within,
    sampleOf: (preset, tool) => {
      const sample = readSample(preset, tool.name);
      return sample && normaliseSample(tool, sample)?.json;
    },
    callTool: parts.callTool,
    countRun: parts.countRun,
    encode: { outcome: encodeOutcome, error: encodeError },
  };
}
