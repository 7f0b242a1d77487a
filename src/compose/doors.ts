import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { chargeBatch } from '../access/limits/charge-batch.ts';
import { createFailureLimiter } from '../access/limits/failure-limiter.ts';
import { createListTools } from '../calls/list-tools.ts';
import { createDoor } from '../dialects/door/door.ts';
import { createEventsDialect } from '../dialects/events/dialect.ts';
import type { Charge } from '../dialects/json-rpc/batch.ts';
import { describeToolCall } from '../dialects/mcp/describe-tool-call.ts';
import { createHttpSse } from '../dialects/mcp/legacy/http-sse.ts';
import { createLegacyMethods } from '../dialects/mcp/legacy/methods.ts';
import { createStreamableHttp } from '../dialects/mcp/legacy/streamable-http.ts';
import { createMcpEndpoint } from '../dialects/mcp/mcp-endpoint.ts';
import { createStatelessDialect } from '../dialects/mcp/stateless/dialect.ts';
import { createPlainDialect } from '../dialects/plain/dialect.ts';
import { createAuditRoutes } from '../dialects/rest/audit.ts';
import { createHealthRoutes } from '../dialects/rest/health.ts';
import { createOAuthProbes } from '../dialects/rest/oauth-probes.ts';
import { createRegistrationRoutes } from '../dialects/rest/registrations.ts';
import { createRegistryRoutes } from '../dialects/rest/registry.ts';
import { createToolRoutes } from '../dialects/rest/tools.ts';
import type { Route } from '../dialects/route.ts';
import { createAccessLog } from '../http/access-log.ts';
import { createApp } from '../http/app.ts';
import { closeGracefully, withinGrace } from '../http/listen.ts';
import { ownAddresses, trustedOrigins } from '../http/origins.ts';
import { forLast } from '../platform/kernel/for-last.ts';
import { PACKAGE_ROOT } from '../platform/kernel/package-root.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { type AdminParts, createAdminRoutes } from './admin.ts';
import type { Core } from './core.ts';
import { dependenciesOf } from './dependencies.ts';
import { upstreamsInUse } from './health.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

const DASHBOARD_DIR = join(PACKAGE_ROOT, 'dashboard/dist');

/** Creates the HTTP server with all routes of the gateway. Does not listen yet. */
export async function createDoors(
  context: GatewayContext,
  storage: Storage,
  core: AdminParts,
): Promise<FastifyInstance> {
  const { settings, logger, parts, catalog, toolsets, securityLog } = context;
  const charge: Charge = (caller, points) =>
    chargeBatch({ limiter: core.limiter, securityLog }, caller, points);
  const dialects = createDialects(context, core, charge);
  const toolCallsOf = forLast((entries: typeof catalog.presetEntries) =>
    entries.map(describeToolCall),
  );
  const app = await createApp({
    ...core,
    prepare: ({ tenantId }) => core.registrations.ready(tenantId),
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
      ...createRoutes(context, storage, core),
    ],
  });
  const graceMs = settings.SHUTDOWN_GRACE_MS;
  parts.add({ close: () => closeGracefully(app, graceMs) });
  // Closes before the server, which would wait for the streams: they never end by themselves.
  parts.add(core.hub);
  // Closes before the streams, so that responses in progress are still sent.
  parts.add({ close: () => withinGrace(dialects['http-sse'].close(), graceMs) });
  return app;
}

/** Creates the dialects of `POST /mcp`. */
function createDialects(
  { settings, catalog }: GatewayContext,
  { hub, callTool: callCatalogTool, callEntry, codes }: Core,
  charge: Charge,
) {
  const { listTools, callTool } = createDoor({
    listTools: createListTools(catalog),
    callTool: callCatalogTool,
    callEntry,
    find: catalog.find,
    codes,
  });
  const tools = {
    listTools,
    callTool,
    codes,
    maxCharacters: settings.MCP_CONTENT_MAX_CHARACTERS,
  };
  const methods = createLegacyMethods(tools);
  return {
    plain: createPlainDialect({ listTools, callTool, charge }),
    'streamable-http': createStreamableHttp({ methods, charge }),
    'http-sse': createHttpSse({ hub, methods }),
    stateless: createStatelessDialect({
      ...tools,
      hub,
      keepaliveMs: settings.SSE_KEEPALIVE_MS,
      maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
    }),
  };
}

/** Creates all other routes of the gateway. */
function createRoutes(context: GatewayContext, storage: Storage, core: AdminParts): Route[] {
  const { settings, catalog } = context;
  return [
    createEventsDialect({
      hub: core.hub,
      categoriesOf: catalog.categories,
      toolsets: context.toolsets,
      keepaliveMs: settings.SSE_KEEPALIVE_MS,
      maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
    }),
    ...createHealth(context, storage, core),
    ...createOAuthProbes(),
    ...createRegistryRoutes(catalog),
    ...createToolRoutes(catalog),
    ...createAuditRoutes(storage.audit.store),
    ...createAdminRoutes(context, storage, core),
    ...createRegistrationRoutes({
      registrations: core.registrations,
      split: core.split,
      catalog,
      limits: {
        maxDocumentBytes: settings.REGISTRATION_MAX_BYTES,
        urls: core.guarded.urls,
      },
    }),
  ];
}

function createHealth({ clock, catalog }: GatewayContext, storage: Storage, core: Core): Route[] {
  const { audit } = storage;
  const { cache, hub } = core;
  return createHealthRoutes({
    clock,
    version: VERSION,
    ...dependenciesOf(storage),
    catalogCounts: catalog.counts,
    streams: hub.count,
    audit: audit.ledger.stats,
    isWritable: audit.ledger.isWritable,
    cache: cache.stats,
    upstreamsFor: (caller) => upstreamsInUse({ catalog, ...core }, caller),
  });
}
