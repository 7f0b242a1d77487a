import type { FastifyInstance } from 'fastify';
import { chargeBatch } from '../access/limits/charge-batch.ts';
import { createFailureLimiter } from '../access/limits/failure-limiter.ts';
import { createListTools } from '../calls/list-tools.ts';
import { createEventsDialect } from '../dialects/events/events-dialect.ts';
import { createLegacyMethods } from '../dialects/mcp/legacy/answer-request.ts';
import { createHttpSse } from '../dialects/mcp/legacy/http-sse.ts';
import { createStreamableHttp } from '../dialects/mcp/legacy/streamable-http.ts';
import { createMcpEndpoint } from '../dialects/mcp/mcp-endpoint.ts';
import { createStatelessDialect } from '../dialects/mcp/stateless/stateless-dialect.ts';
import { createPlainDialect } from '../dialects/plain/plain-dialect.ts';
import { createAuditRoutes } from '../dialects/rest/audit.ts';
import { createHealthRoutes } from '../dialects/rest/health.ts';
import { registrationRoutes } from '../dialects/rest/registrations.ts';
import { createRegistryRoutes } from '../dialects/rest/registry.ts';
import { createToolRoutes } from '../dialects/rest/tools.ts';
import type { Route } from '../dialects/route.ts';
import { createApp } from '../http/app.ts';
import { closeGracefully, withinGrace } from '../http/listen.ts';
import { ownAddresses, trustedOrigins } from '../http/origins.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { VERSION } from '../platform/kernel/version.ts';
import type { Core } from './core.ts';
import type { Ground } from './options.ts';
import type { Storage } from './storage.ts';

/** The HTTP server with every address of the gateway; it does not listen yet. */
export async function createDoors(
  ground: Ground,
  storage: Storage,
  core: Core,
): Promise<FastifyInstance> {
  const { settings, logger, parts, catalog, securityLog } = ground;
  const charge = (apiKeyId: string, points: number) =>
    chargeBatch({ rateLimiter: core.rateLimiter, securityLog }, apiKeyId, points);
  const dialects = createDialects(ground, core, charge);
  const { categories } = catalog;
  const app = await createApp({
    ...core,
    logger,
    ownAddresses: ownAddresses(settings),
    maxBodyBytes: settings.MAX_BODY_BYTES,
    baseUrl: settings.BASE_URL ?? '/',
    version: VERSION,
    failureLimiter: createFailureLimiter({
      ...storage.shared('auth-failures'),
      limitPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
    }),
    securityLog,
    origins: trustedOrigins(settings),
    routes: [
      createMcpEndpoint({ dialects, categories, charge }),
      ...createRoutes(ground, storage, core),
    ],
  });
  const graceMs = settings.SHUTDOWN_GRACE_MS;
  parts.add({ close: () => closeGracefully(app, graceMs) });
  // Closed first: a stream never ends by itself, and the server would wait for it.
  parts.add(core.hub);
  // Before the streams: their answers under way still have to leave.
  parts.add({ close: () => withinGrace(dialects['http-sse'].close(), graceMs) });
  return app;
}

/** Every way to speak to `POST /mcp`. */
function createDialects(
  { settings, catalog }: Ground,
  { hub, callTool }: Core,
  charge: (apiKeyId: string, entries: number) => Promise<void>,
) {
  const listTools = createListTools(catalog);
  const tools = { listTools, callTool, maxContentBytes: settings.MCP_CONTENT_MAX_BYTES };
  const answerRequest = createLegacyMethods(tools);
  return {
    plain: createPlainDialect({ listTools, callTool, chargeBatch: charge }),
    'streamable-http': createStreamableHttp({ answerRequest, chargeBatch: charge }),
    'http-sse': createHttpSse({ hub, answerRequest }),
    stateless: createStatelessDialect({
      ...tools,
      hub,
      keepaliveMs: settings.SSE_KEEPALIVE_MS,
      maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
    }),
  };
}

/** Every other address of the gateway. */
function createRoutes(ground: Ground, storage: Storage, core: Core): Route[] {
  const { settings, catalog } = ground;
  return [
    createEventsDialect({
      hub: core.hub,
      categories: catalog.categories,
      keepaliveMs: settings.SSE_KEEPALIVE_MS,
      maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
    }),
    ...createHealth(ground, storage, core),
    ...createRegistryRoutes(catalog),
    ...createToolRoutes(catalog),
    ...createAuditRoutes(storage.audit.store),
    ...registrationRoutes,
  ];
}

function createHealth(
  { clock, catalog }: Ground,
  { database, redis, audit }: Storage,
  { cache, upstreams, hub }: Core,
): Route[] {
  return createHealthRoutes({
    clock,
    version: VERSION,
    database: {
      backend: database.backend,
      ping: async () => {
        await database.ping();
        if (audit.ledger.stats().degraded !== null) throw new GatewayError('unavailable');
      },
    },
    redis: redis
      ? { backend: 'redis', ping: redis.ping }
      : { backend: 'memory', ping: () => Promise.resolve() },
    catalogCounts: () => ({
      servers: catalog.servers.length,
      tools: catalog.presetEntries.length,
    }),
    streams: hub.count,
    originsFor: (caller) => catalog.list(caller).map(({ tool }) => new URL(tool.baseUrl).origin),
    audit: audit.ledger.stats,
    cache: cache.stats,
    upstreams: upstreams.states,
  });
}
