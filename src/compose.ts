import type { Logger } from 'pino';
import { createApiKeyStore } from './api-keys/api-key-store.ts';
import { createAuthenticator } from './api-keys/authenticator.ts';
import { ensureBootstrapKey, makeFirstKey } from './api-keys/bootstrap-key.ts';
import { openAudit } from './audit/audit.ts';
import { createAnswerCache } from './cache/answer-cache.ts';
import { createCallTool, type FinishedCall } from './calls/call-tool.ts';
import { createListTools } from './calls/list-tools.ts';
import { prepareTool } from './calls/prepared-tool.ts';
import { createCatalog } from './catalog/catalog.ts';
import { loadPresets } from './catalog/load-presets.ts';
import type { SecretSource, Settings } from './config/settings.ts';
import { lockDataDir } from './database/data-dir.ts';
import { openDatabase } from './database/database.ts';
import { createEventsDialect, publishToolResult } from './dialects/events/events-dialect.ts';
import { createPlainDialect } from './dialects/plain/plain-dialect.ts';
import { createAuditRoutes } from './dialects/rest/audit.ts';
import { registrationRoutes } from './dialects/rest/registrations.ts';
import { createRegistryRoutes } from './dialects/rest/registry.ts';
import { createToolRoutes } from './dialects/rest/tools.ts';
import { createApp } from './http/app.ts';
import { createHealthRoutes } from './http/health.ts';
import { closeGracefully, listen } from './http/listen.ts';
import { createMetrics, listenForMetrics } from './http/metrics.ts';
import type { Clock } from './kernel/clock.ts';
import type { Closeable } from './kernel/closeable.ts';
import { createClosingStack } from './kernel/closing-stack.ts';
import { GatewayError } from './kernel/error.ts';
import type { Secret } from './kernel/secret.ts';
import { VERSION } from './kernel/version.ts';
import { createFailureLimiter } from './limits/failure-limiter.ts';
import { createRateLimiter } from './limits/rate-limiter.ts';
import { maskArguments } from './masking/mask-arguments.ts';
import { createPayloadNormaliser } from './payload/create-payload-normaliser.ts';
import { decodeServiceKey } from './public-data/service-key.ts';
import { createOutageLog } from './redis/outage-log.ts';
import { createStreamHub } from './stream/stream-hub.ts';
import { createTenantStore } from './tenants/tenant-store.ts';
import { createUpstreamClient } from './upstreams/create-upstream-client.ts';

export interface GatewayOptions {
  readonly settings: Settings;
  readonly secrets: SecretSource;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Points a preset at another address, for the sandbox. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
}

/** A gateway that listens. */
export interface Gateway extends Closeable {
  /** Where clients on this machine reach it. */
  readonly url: string;
  readonly metricsPort: number | null;
  readonly servers: number;
  readonly tools: number;
  /** The first API key, if this start made it. */
  readonly newApiKey: Secret | null;
}

/** Builds and starts the gateway; the only place that names concrete choices. Throws StartupError. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = createClosingStack();
  try {
    return await open(options, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function open(
  options: GatewayOptions,
  parts: ReturnType<typeof createClosingStack>,
): Promise<Gateway> {
  const { settings, logger, clock } = options;
  const dataDir = settings.DATA_DIR;

  const { presets } = await loadPresets({
    dir: settings.PRESETS_DIR,
    lenient: settings.PRESETS_LENIENT,
    logger,
    ...(options.baseUrlFor ? { baseUrlFor: options.baseUrlFor } : {}),
  });
  const catalog = createCatalog(presets, clock);
  for (const { tool } of catalog.presetEntries) prepareTool(tool);

  parts.add(lockDataDir(dataDir));
  const database = parts.add(openDatabase({ databaseUrl: settings.DATABASE_URL, dataDir }));
  await database.migrate();
  const redis = settings.REDIS_URL
    ? parts.add(await openRedis(settings.REDIS_URL, logger))
    : undefined;
  const audit = parts.add(
    await openAudit({
      dataDir,
      database,
      clock,
      fsync: settings.AUDIT_FSYNC,
      retentionDays: settings.AUDIT_RETENTION_DAYS,
      maxOutboxRecords: settings.AUDIT_OUTBOX_MAX_RECORDS,
      onFault: createOutageLog(logger, 'audit records are waiting for the database'),
    }),
  );

  const tenants = createTenantStore({ db: database.db, clock });
  const apiKeys = createApiKeyStore({ db: database.db, clock });
  if (settings.BOOTSTRAP_API_KEY) {
    await ensureBootstrapKey(tenants, apiKeys, settings.BOOTSTRAP_API_KEY);
  }

  const shared = (kind: string) => ({
    ...(redis ? { redis } : {}),
    logger,
    keyPrefix: `${settings.REDIS_KEY_PREFIX}${kind}`,
  });
  const cache = parts.add(
    createAnswerCache({
      ...shared('cache:'),
      clock,
      maxBytes: settings.CACHE_MAX_BYTES,
      staleSeconds: settings.CACHE_STALE_SECONDS,
    }),
  );
  const upstreams = parts.add(
    createUpstreamClient({
      maxBytes: settings.UPSTREAM_MAX_BYTES,
      concurrencyPerOrigin: settings.UPSTREAM_CONCURRENCY,
      closeGraceMs: settings.SHUTDOWN_GRACE_MS,
      clock,
      logger,
    }),
  );
  const normaliser = parts.add(createPayloadNormaliser());
  const hub = createStreamHub({ logger });
  const authenticator = parts.add(
    createAuthenticator({
      store: apiKeys,
      clock,
      pollMs: KEY_POLL_MS,
      onRevoked: (apiKeyId) => hub.endForKey(apiKeyId),
    }),
  );
  const rateLimiter = createRateLimiter({
    ...shared('rate'),
    limitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
  });
  const metrics = createMetrics({ streams: hub.count, audit: audit.ledger.stats });

  const callTool = createCallTool({
    catalog,
    cache,
    ledger: audit.ledger,
    clock,
    mask: maskArguments,
    upstreams,
    normalise: normaliser.normalise,
    secrets: withDecodedServiceKey(options.secrets),
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    onFinished: (finished) => {
      metrics.observe(finished);
      publishToolResult(hub, finished);
      logFinished(logger, finished);
    },
  });

  const app = await createApp({
    logger,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    trustProxy: settings.TRUST_PROXY,
    baseUrl: settings.BASE_URL ?? '/',
    version: VERSION,
    authenticator,
    rateLimiter,
    failureLimiter: createFailureLimiter({
      ...shared('auth-failures'),
      limitPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
    }),
    routes: [
      createPlainDialect({
        listTools: createListTools(catalog),
        callTool,
        chargeBatch: (apiKeyId, entries) => chargeBatch(rateLimiter, apiKeyId, entries),
      }),
      createEventsDialect({
        hub,
        keepaliveMs: settings.SSE_KEEPALIVE_MS,
        maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
      }),
      ...createHealthRoutes({
        clock,
        version: VERSION,
        database: {
          backend: database.backend,
          ping: async () => {
            await database.ping();
            audit.ledger.assertWritable();
          },
        },
        redis: redis
          ? { backend: 'redis', ping: () => redis.ping() }
          : { backend: 'memory', ping: () => Promise.resolve() },
        catalogCounts: () => ({
          servers: catalog.servers.length,
          tools: catalog.presetEntries.length,
        }),
        streams: hub.count,
        audit: audit.ledger.stats,
        cache: cache.stats,
        upstreams: upstreams.states,
      }),
      ...createRegistryRoutes(catalog),
      ...createToolRoutes(catalog),
      ...createAuditRoutes(audit.store),
      ...registrationRoutes,
    ],
  });
  parts.add({ close: () => closeGracefully(app, settings.SHUTDOWN_GRACE_MS) });
  // Closed first: a stream never ends by itself, and the server would wait for it.
  parts.add(hub);

  const metricsServer = settings.METRICS_PORT
    ? parts.add(await listenForMetrics(metrics.registry, settings.HOST, settings.METRICS_PORT))
    : null;
  const port = await listen(app, settings.HOST, settings.PORT);
  // Last, when nothing can fail any more: a key is shown by the start that made it or by none.
  const newApiKey = await makeFirstKey(tenants, apiKeys);
  return {
    url: settings.BASE_URL ?? `http://${urlHost(settings.HOST)}:${port}`,
    metricsPort: metricsServer?.port ?? null,
    servers: catalog.servers.length,
    tools: catalog.presetEntries.length,
    newApiKey,
    close: parts.close,
  };
}

/** The Redis client is loaded only where there is a Redis. */
async function openRedis(url: Secret, logger: Logger) {
  const { connectRedis } = await import('./redis/redis-connection.ts');
  return connectRedis(url, { logger });
}

/** The portal shows its key in two forms; only the decoded one comes out right when encoded once. */
const withDecodedServiceKey =
  (secrets: SecretSource): SecretSource =>
  (name) => {
    const secret = secrets(name);
    return secret && name === 'PUBLIC_DATA_SERVICE_KEY' ? decodeServiceKey(secret) : secret;
  };

/** Half the time within which every replica must know of a revocation (contract "HTTP"). */
const KEY_POLL_MS = 500;

/** Every entry of a batch counts as a request of its own; the request itself has paid for the first. */
async function chargeBatch(
  rateLimiter: ReturnType<typeof createRateLimiter>,
  apiKeyId: string,
  entries: number,
): Promise<void> {
  for (let i = 0; i < entries; i++) {
    const { allowed, retryAfterSeconds } = await rateLimiter.consume(apiKeyId);
    if (allowed) continue;
    throw new GatewayError('rate_limited', 'The batch exceeds the rate limit of this API key.', {
      details: { retryAfterSeconds },
    });
  }
}

/** Each call is in the audit log; here only what an operator must look into. */
function logFinished(logger: Logger, { auditId, context, entry, result }: FinishedCall): void {
  if (!(result instanceof GatewayError)) return;
  const line = { auditId, requestId: context.requestId, tool: entry.tool.name, code: result.code };
  if (result.code === 'internal') logger.error({ ...line, err: result.cause }, 'call failed');
  else logger.debug(line, 'call failed');
}

/** A wildcard address is no address to call; IPv6 wants brackets. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
