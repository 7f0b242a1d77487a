import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { chargeBatch } from '../access/limits/caller-limiter.ts';
import { createFailureLimiter } from '../access/limits/failure-limiter.ts';
import type { LinkRows } from '../calls/link-rows.ts';
import { createListTools } from '../calls/list-tools.ts';
import { createEventsDialect } from '../dialects/events/dialect.ts';
import type { ManageTools } from '../dialects/gateway-tools/own-response.ts';
import { withGatewayTools } from '../dialects/gateway-tools/with-gateway-tools.ts';
import type { Charge } from '../dialects/json-rpc/methods.ts';
import { describeToolCall } from '../dialects/mcp/describe-mcp.ts';
import { createHttpSse } from '../dialects/mcp/legacy/http-sse.ts';
import { createLegacyMethods } from '../dialects/mcp/legacy/methods.ts';
import { createStreamableHttp } from '../dialects/mcp/legacy/streamable-http.ts';
import { createMcpEndpoint } from '../dialects/mcp/mcp-endpoint.ts';
import { instructionsFor } from '../dialects/mcp/shared/server-info.ts';
import { createStatelessDialect } from '../dialects/mcp/stateless/dialect.ts';
import { createPlainDialect } from '../dialects/plain/dialect.ts';
import { createHealthRoutes } from '../dialects/rest/health.ts';
import { OAUTH_PATHS } from '../dialects/rest/oauth.ts';
import { createRegistrationRoutes } from '../dialects/rest/registrations.ts';
import { createRegistryRoutes } from '../dialects/rest/registry.ts';
import { createToolRoutes } from '../dialects/rest/tools.ts';
import type { Route } from '../dialects/route.ts';
import { createAccessLog } from '../http/access-log.ts';
import { createApp } from '../http/app.ts';
import { announceEnd, boundPort, closeGracefully, withinGrace } from '../http/listen.ts';
import { ownAddresses, trustedOrigins } from '../http/origins.ts';
import { readStorage } from '../platform/database/storage-files.ts';
import { memoizeLast } from '../platform/kernel/memo.ts';
import { PACKAGE_ROOT } from '../platform/kernel/shipped-files.ts';
import { commit, VERSION } from '../platform/kernel/version.ts';
import { type AdminParts, createManagement } from './admin.ts';
import type { Core } from './core.ts';
import { createFigures } from './figures.ts';
import { createSignInFromHosts } from './oauth.ts';
import type { GatewayContext } from './options.ts';
import { createResultParts } from './results.ts';
import type { Storage } from './storage.ts';

const DASHBOARD_DIR = join(PACKAGE_ROOT, 'dashboard/dist');

/** Creates the HTTP server with all routes of the gateway. Does not listen yet. */
export async function createServer(
  context: GatewayContext,
  storage: Storage,
  core: AdminParts,
): Promise<FastifyInstance> {
  const { settings, logger, parts, catalog, toolsets, securityLog } = context;
  const charge: Charge = (caller, points) =>
    chargeBatch(
      { limiter: core.limiter, securityLog, refused: storage.statistics.refused },
      caller,
      points,
    );
  const portOf = () => boundPort(app.server) ?? settings.PORT;
  const hosts = createSignInFromHosts(context, storage, core, portOf);
  const { linkRows, callTool, routes } = createResultParts(context, storage, core, portOf);
  const management = createManagement(context, storage, { ...core, callTool, hosts });
  const dialects = createDialects(
    context,
    storage,
    { ...core, callTool },
    { charge, manage: management.tools, linkRows },
  );
  const toolCallsOf = memoizeLast((entries: typeof catalog.presetEntries) =>
    entries.map(describeToolCall),
  );
  const app: FastifyInstance = await createApp({
    ...core,
    prepare: ({ tenantId }) => core.registrations.ready(tenantId),
    ...(hosts.challengeFor && { challengeFor: hosts.challengeFor, openPaths: OAUTH_PATHS }),
    logger,
    ...(settings.ACCESS_LOG ? { logAccess: createAccessLog(logger) } : {}),
    ownAddresses: ownAddresses(settings),
    hopMark: core.guarded.hopMark,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    baseUrl: settings.BASE_URL ?? '/',
    version: VERSION,
    dashboardDir: DASHBOARD_DIR,
    failureLimiter: createFailureLimiter({
      ...storage.shared('auth-failures'),
      limitPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
    }),
    securityLog,
    refused: storage.statistics.refused,
    origins: trustedOrigins(settings),
    toolCalls: () => toolCallsOf(catalog.presetEntries),
    routes: [
      createMcpEndpoint({
        dialects,
        categoriesOf: catalog.categories,
        isSharedName: catalog.isSharedName,
        isReady: ({ tenantId }) => core.registrations.isReady(tenantId),
        ready: ({ tenantId }, names) => core.registrations.ready(tenantId, names),
        toolsets,
        charge,
      }),
      ...hosts.routes(),
      ...routes,
      ...createRoutes(context, storage, core, () => app.isClosing),
      ...management.routes,
    ],
  });
  let cutAtMs = 0;
  const graceMs = (): number => Math.max(0, cutAtMs - performance.now());
  parts.add({ close: () => closeGracefully(app, graceMs()) });
  // Closes before the server, which would wait for the streams: they never end by themselves.
  parts.add(core.hub);
  // Closes before the streams, so that responses in progress are still sent.
  parts.add({ close: () => withinGrace(dialects['http-sse'].close(), graceMs()) });
  parts.add({
    close: async () => {
      await announceEnd(app, settings.DRAIN_NOTICE_MS);
      cutAtMs = performance.now() + settings.SHUTDOWN_GRACE_MS;
    },
  });
  return app;
}

/** Creates the dialects of `POST /mcp`. */
function createDialects(
  { settings, catalog }: GatewayContext,
  { bus, statistics: { refused } }: Storage,
  { hub, budget, callTool: callCatalogTool, callEntry, codes }: Core,
  {
    charge,
    manage,
    linkRows,
  }: { readonly charge: Charge; readonly manage: ManageTools; readonly linkRows: LinkRows },
) {
  const instructionsOf = memoizeLast(instructionsFor);
  const { listTools, callTool } = withGatewayTools({
    refused,
    listTools: createListTools(catalog),
    callTool: callCatalogTool,
    callEntry,
    find: catalog.find,
    codes,
    servers: () => catalog.servers,
    manage,
  });
  const tools = {
    listTools,
    callTool,
    linkRows,
    codes,
    maxCharacters: settings.MCP_CONTENT_MAX_CHARACTERS,
    instructions: () => instructionsOf(catalog.servers),
  };
  const methods = createLegacyMethods(tools);
  return {
    plain: createPlainDialect({ refused, listTools, callTool }, charge),
    'streamable-http': createStreamableHttp(methods, charge, refused),
    'http-sse': createHttpSse({ hub, methods, refused, bus, openMemory: budget.open }),
    stateless: createStatelessDialect({
      ...tools,
      refused,
      hub,
      keepaliveMs: settings.SSE_KEEPALIVE_MS,
      maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
    }),
  };
}

/** Creates all other routes of the gateway. */
function createRoutes(
  context: GatewayContext,
  storage: Storage,
  core: AdminParts,
  isClosing: () => boolean,
): Route[] {
  const { settings, clock, catalog, toolsets } = context;
  const { audit } = storage;
  const limits = { maxDocumentBytes: settings.REGISTRATION_MAX_BYTES, urls: core.guarded.urls };
  return [
    createEventsDialect({
      hub: core.hub,
      replica: storage.bus?.replica,
      categoriesOf: catalog.categories,
      toolsets,
      keepaliveMs: settings.SSE_KEEPALIVE_MS,
      maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
    }),
    ...createHealthRoutes({
      ...core,
      clock,
      version: VERSION,
      commit: commit(),
      checkDependencies: storage.checkDependencies,
      catalogCounts: catalog.counts,
      figures: createFigures(context, storage, core),
      workers: context.worker && {
        total: context.worker.total,
        respondedBy: context.worker.number,
      },
      isServing: () => audit.ledger.isWritable() && !isClosing(),
      storage: () => readStorage(settings.DATA_DIR),
      replicas: storage.replicas,
    }),
    ...createRegistryRoutes(catalog),
    ...createToolRoutes(catalog),
    ...createRegistrationRoutes({ ...core, catalog, limits }),
  ];
}
