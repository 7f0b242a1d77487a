import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApiKeyStore } from './api-keys/api-key-store.ts';
import { createAuthenticator } from './api-keys/authenticator.ts';
import { ensureBootstrapKey, makeFirstKey } from './api-keys/bootstrap-key.ts';
import { type AuditDeps, openAudit } from './audit/audit.ts';
import { auditLog } from './audit/audit-log.ts';
import { createAnswerCache } from './cache/answer-cache.ts';
import { createCallTool, type FinishedCall } from './calls/call-tool.ts';
import { hiddenSecrets } from './calls/hidden-secrets.ts';
import { createListTools } from './calls/list-tools.ts';
import { loggableError } from './calls/loggable-error.ts';
import { prepareTool } from './calls/prepared-tool.ts';
import { warnOfShortSecrets } from './calls/short-secrets.ts';
import { type Catalog, createCatalog } from './catalog/catalog.ts';
import { loadPresets } from './catalog/load-presets.ts';
import { describeSettings } from './config/describe-settings.ts';
import type { SecretSource, Settings } from './config/settings.ts';
import { lockDataDir } from './database/data-dir.ts';
import { openDatabase } from './database/database.ts';
import { openDiskReserve } from './database/disk-reserve.ts';
import { createEventsDialect, publishToolResult } from './dialects/events/events-dialect.ts';
import { createMcpEndpoint } from './dialects/mcp-endpoint.ts';
import { createLegacyMethods } from './dialects/mcp-legacy/answer-request.ts';
import { createHttpSse } from './dialects/mcp-legacy/http-sse.ts';
import { createStreamableHttp } from './dialects/mcp-legacy/streamable-http.ts';
import { createStatelessDialect } from './dialects/mcp-stateless/stateless-dialect.ts';
import { createPlainDialect } from './dialects/plain/plain-dialect.ts';
import { createAuditRoutes } from './dialects/rest/audit.ts';
import { registrationRoutes } from './dialects/rest/registrations.ts';
import { createRegistryRoutes } from './dialects/rest/registry.ts';
import { createToolRoutes } from './dialects/rest/tools.ts';
import type { Route } from './dialects/route.ts';
import { createApp } from './http/app.ts';
import { createClientAddress } from './http/client-address.ts';
import { openClientConnections } from './http/client-connections.ts';
import { watchDescriptors } from './http/descriptors.ts';
import { createHealthRoutes } from './http/health.ts';
import { closeGracefully, listen } from './http/listen.ts';
import { createMetrics, listenForMetrics } from './http/metrics.ts';
import { createByteBudget } from './kernel/byte-budget.ts';
import { type Clock, createSteadyClock } from './kernel/clock.ts';
import type { Closeable } from './kernel/closeable.ts';
import { type ClosingStack, createClosingStack } from './kernel/closing-stack.ts';
import { GatewayError } from './kernel/error.ts';
import { budgetFor, memoryLimits, threadHeapMib } from './kernel/memory-limit.ts';
import type { Secret } from './kernel/secret.ts';
import { VERSION } from './kernel/version.ts';
import { addressBlock } from './limits/address-block.ts';
import { chargeBatch } from './limits/charge-batch.ts';
import { createFailureLimiter } from './limits/failure-limiter.ts';
import { createRateLimiter } from './limits/rate-limiter.ts';
import { maskArguments } from './masking/mask-arguments.ts';
import { createPayloadNormaliser } from './payload/create-payload-normaliser.ts';
import { decodeServiceKey } from './public-data/service-key.ts';
import { createOutageLog } from './redis/outage-log.ts';
import { createStreamHub } from './stream/stream-hub.ts';
import { createTenantStore } from './tenants/tenant-store.ts';
import { reportSweep } from './trail/report-sweep.ts';
import { createSecurityLog, type SecurityLog } from './trail/security-log.ts';
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
  /** Resolves when every tool has been made ready for its first call. */
  readonly prepared: Promise<void>;
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

async function open(options: GatewayOptions, parts: ClosingStack): Promise<Gateway> {
  const { settings, logger } = options;
  const catalog = await loadCatalog(options);
  const securityLog = createSecurityLog(logger);
  const storage = await openStorage(options, parts, securityLog);
  const core = createCore(options, parts, catalog, storage, securityLog);
  // From here on new keys are noticed, also those made below.
  await core.authenticator.refresh();
  if (settings.BOOTSTRAP_API_KEY) {
    await ensureBootstrapKey(storage.tenants, storage.apiKeys, settings.BOOTSTRAP_API_KEY);
  }
  const dialects = createDialects(options, catalog, core, securityLog);
  const app = await createApp({
    logger,
    connections: core.connections,
    ownAddresses: ownAddresses(settings),
    maxBodyBytes: settings.MAX_BODY_BYTES,
    budget: core.budget,
    clientAddress: core.clientAddress,
    baseUrl: settings.BASE_URL ?? '/',
    version: VERSION,
    authenticator: core.authenticator,
    rateLimiter: core.rateLimiter,
    failureLimiter: createFailureLimiter({
      ...storage.shared('auth-failures'),
      limitPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
    }),
    securityLog,
    origins: trustedOrigins(settings),
    routes: [
      createMcpEndpoint({
        dialects,
        categories: catalog.categories,
        charge: (apiKeyId, points) =>
          chargeBatch({ rateLimiter: core.rateLimiter, securityLog }, apiKeyId, points),
      }),
      ...createRoutes(options, catalog, storage, core),
    ],
  });
  parts.add({ close: () => closeGracefully(app, settings.SHUTDOWN_GRACE_MS) });
  // Closed first: a stream never ends by itself, and the server would wait for it.
  parts.add(core.hub);
  // Before the streams: their answers under way still have to leave.
  parts.add({ close: () => withinGrace(dialects['http-sse'].close(), settings.SHUTDOWN_GRACE_MS) });

  const metricsServer = settings.METRICS_PORT
    ? parts.add(
        await listenForMetrics(
          core.metrics.registry,
          settings.HOST,
          settings.METRICS_PORT,
          settings.WRITE_TIMEOUT_MS,
        ),
      )
    : null;
  const port = await listen(app, settings.HOST, settings.PORT);
  securityLog.record('started', {
    version: VERSION,
    settings: describeSettings(settings),
    secrets: namesOfSecrets(options, catalog),
  });
  // Last, when nothing can fail any more: a key is shown by the start that made it or by none.
  const newApiKey = await makeFirstKey(storage.tenants, storage.apiKeys);
  return {
    url: settings.BASE_URL ?? `http://${urlHost(settings.HOST)}:${port}`,
    metricsPort: metricsServer?.port ?? null,
    servers: catalog.servers.length,
    tools: catalog.presetEntries.length,
    newApiKey,
    prepared: prepareTools(catalog, logger),
    close: parts.close,
  };
}

/** Names of the secrets that presets ask for and that are set. */
function namesOfSecrets({ secrets }: GatewayOptions, { presetEntries }: Catalog): string[] {
  const wanted = new Set(presetEntries.flatMap(({ tool }) => tool.secrets));
  return [...wanted].filter((name) => secrets(name)?.reveal());
}

/**
 * Makes every tool's validator and encoder, milliseconds each and one a turn, so that neither the start nor a call
 * waits for all of them.
 */
async function prepareTools(catalog: Catalog, logger: Logger): Promise<void> {
  for (const { tool } of catalog.presetEntries) {
    await nextTurn();
    try {
      prepareTool(tool);
    } catch (err) {
      logger.error({ tool: tool.name, err }, 'the tool cannot be prepared');
    }
  }
}

async function loadCatalog({
  settings,
  logger,
  clock,
  secrets,
  baseUrlFor,
}: GatewayOptions): Promise<Catalog> {
  const { presets } = await loadPresets({
    dir: settings.PRESETS_DIR,
    lenient: settings.PRESETS_LENIENT,
    logger,
    ...(baseUrlFor ? { baseUrlFor } : {}),
  });
  return createCatalog(presets, clock, (name) => Boolean(secrets(name)?.reveal()));
}

/** What outlives the process: database, Redis, audit log, and the stores over them. */
async function openStorage(
  { settings, logger, clock }: GatewayOptions,
  parts: ClosingStack,
  securityLog: SecurityLog,
) {
  const dataDir = settings.DATA_DIR;
  const disk = parts.add(openDiskReserve({ dataDir, floorBytes: settings.DISK_RESERVE_BYTES }));
  parts.add(lockDataDir(dataDir));
  const database = parts.add(openDatabase({ databaseUrl: settings.DATABASE_URL, dataDir }));
  await database.migrate();
  const redis = settings.REDIS_URL
    ? parts.add(await openRedis(settings.REDIS_URL, settings.REDIS_KEY_PREFIX, logger))
    : undefined;
  const onFault = createOutageLog(logger, 'audit records are waiting for the database');
  const onSwept = (deleted: number): void => {
    void reportSweep({ db: database.db, clock, securityLog }, { deleted }).catch(onFault);
  };
  const audit = parts.add(
    await openAudit({
      dataDir,
      database,
      clock,
      fsync: settings.AUDIT_FSYNC,
      retentionDays: settings.AUDIT_RETENTION_DAYS,
      maxOutboxRecords: settings.AUDIT_OUTBOX_MAX_RECORDS,
      disk,
      onFault,
      ...watchShipping(logger),
      onDegraded: (reason) =>
        reason === null
          ? logger.warn('the audit log can be written again; calls go on')
          : logger.error({ reason }, 'the audit log cannot be written; calls are refused'),
      ...auditLog(logger, onSwept),
    }),
  );
  const tenants = createTenantStore({ db: database.db, clock, actor: 'start' });
  const apiKeys = createApiKeyStore({ db: database.db, clock, actor: 'start' });
  /** What a part that may share its state over Redis is given. */
  const shared = (kind: string) => ({
    ...(redis ? { redis } : {}),
    logger,
    keyPrefix: `${settings.REDIS_KEY_PREFIX}${kind}`,
  });
  return { database, redis, audit, tenants, apiKeys, shared };
}

/** Log lines of at most one a minute about records that do not get to PostgreSQL. */
function watchShipping(logger: Logger): Pick<AuditDeps, 'onWaiting' | 'onBuried'> {
  const late = createOutageLog(
    logger,
    'audit records have been waiting for PostgreSQL for over a minute; readiness is degraded',
  );
  const buried = createOutageLog(
    logger,
    'PostgreSQL refused audit records; `tool-gateway audit dead-letters` shows them',
  );
  const dropped = createOutageLog(logger, 'the oldest dead letters of the audit log were dropped');
  return {
    onWaiting: (seconds) => late(new Error(`the oldest has been waiting for ${seconds} s`)),
    // Not the server's reason, which may quote the record.
    onBuried: (_reason, { deadLetters, deadLettersDropped }) => {
      buried(new Error(`${deadLetters} dead letters by now`));
      if (deadLettersDropped > 0) dropped(new Error(`${deadLettersDropped} since start`));
    },
  };
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

/** The parts that a call passes, and the call itself. */
function createCore(
  options: GatewayOptions,
  parts: ClosingStack,
  catalog: Catalog,
  { audit, apiKeys, shared }: Storage,
  securityLog: SecurityLog,
) {
  const { settings, logger, clock } = options;
  const { cacheBytes, budget, threadHeapMib } = allotMemory(settings);
  const cache = parts.add(
    createAnswerCache({
      ...shared('cache:'),
      clock: createSteadyClock(clock),
      maxBytes: cacheBytes,
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
  const normaliser = parts.add(createPayloadNormaliser({ maxHeapMib: threadHeapMib }));
  const hub = createStreamHub({ logger });
  const authenticator = parts.add(
    createAuthenticator({
      store: apiKeys,
      clock,
      pollMs: KEY_POLL_MS,
      onRevoked: (apiKeyId, cause) => {
        hub.endForKey(apiKeyId);
        securityLog.record(`key_${cause}`, { apiKeyId });
      },
      onForgotten: hub.endOpen,
      onChanged: (apiKeyId, allowedTools) => {
        hub.toolsChanged(apiKeyId, allowedTools);
        securityLog.record('key_changed', { apiKeyId });
      },
      onCreated: (apiKeyId) => securityLog.record('key_created', { apiKeyId }),
    }),
  );
  const rateLimiter = createRateLimiter({
    ...shared('rate'),
    limitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
  });
  const clientAddress = createClientAddress(settings.TRUST_PROXY);
  const isTrustedProxy = clientAddress.isProxy;
  const connections = parts.add(openClientConnections({ settings, logger, isTrustedProxy }));
  parts.add(watchDescriptors(logger));
  const metrics = createMetrics({
    streams: () => hub.count(),
    audit: audit.ledger.stats,
    retention: audit.retention.stats,
    connections: connections.stats,
    budget: budget.stats,
    securityEvents: securityLog.counts,
  });
  const secrets = withDecodedServiceKey(options.secrets);
  warnOfShortSecrets(
    catalog.presetEntries.map(({ tool }) => tool),
    secrets,
    logger,
  );
  const callTool = createCallTool({
    catalog,
    cache,
    ledger: audit.ledger,
    clock,
    mask: maskArguments,
    upstreams,
    normalise: normaliser.normalise,
    budget,
    secrets,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    onDenied: (tool, { caller, clientIp: address, requestId }) => {
      const { tenantSlug: tenant, apiKeyId } = caller;
      const fields = { tool, tenant, apiKeyId, address, requestId };
      securityLog.record('tool_denied', fields, addressBlock(address));
    },
    onFinished: (finished) => {
      metrics.observe(finished);
      publishToolResult(hub, finished);
      logFinished(logger, secrets, finished);
    },
  });
  return {
    budget,
    cache,
    upstreams,
    hub,
    authenticator,
    rateLimiter,
    clientAddress,
    connections,
    metrics,
    callTool,
  };
}

type Core = ReturnType<typeof createCore>;

/** Divides the memory there is between the cache, everything large that is under way, and the thread for payloads. */
function allotMemory(settings: Settings) {
  const limits = memoryLimits(settings.MEMORY_LIMIT_BYTES);
  const bytes = budgetFor(limits);
  const cacheBytes = Math.min(settings.CACHE_MAX_BYTES, Math.floor(bytes / 2));
  const budget = createByteBudget(bytes - cacheBytes);
  return { cacheBytes, budget, threadHeapMib: threadHeapMib(limits) };
}

/** Every way to speak to `POST /mcp`. */
function createDialects(
  { settings }: GatewayOptions,
  catalog: Catalog,
  { hub, rateLimiter, callTool }: Core,
  securityLog: SecurityLog,
) {
  const listTools = createListTools(catalog);
  const charge = (apiKeyId: string, entries: number) =>
    chargeBatch({ rateLimiter, securityLog }, apiKeyId, entries);
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
function createRoutes(
  { settings, clock }: GatewayOptions,
  catalog: Catalog,
  { database, redis, audit }: Storage,
  { cache, upstreams, hub }: Core,
): Route[] {
  return [
    createEventsDialect({
      hub,
      categories: catalog.categories,
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
    }),
    ...createRegistryRoutes(catalog),
    ...createToolRoutes(catalog),
    ...createAuditRoutes(audit.store),
    ...registrationRoutes,
  ];
}

/** Addresses whose hosts requests may name; none, and so any host, while nobody has said what the gateway is called. */
const ownAddresses = ({ BASE_URL, ADMIN_URL }: Settings): string[] =>
  BASE_URL ? [BASE_URL, ...(ADMIN_URL ? [ADMIN_URL] : [])] : [];

/** Origins of pages that may call the gateway, beside those of this machine. */
const trustedOrigins = ({ BASE_URL, ADMIN_URL, ALLOWED_ORIGINS }: Settings): string[] => [
  ...[BASE_URL, ADMIN_URL].flatMap((address) => (address ? [new URL(address).origin] : [])),
  ...ALLOWED_ORIGINS,
];

/** Waits for what a shutdown waits for, but no longer than it may take. */
const withinGrace = (work: Promise<void>, graceMs: number): Promise<void> =>
  Promise.race([work, sleep(graceMs, undefined, { ref: false })]);

/** The Redis client is loaded only where there is a Redis. */
async function openRedis(url: Secret, keyPrefix: string, logger: Logger) {
  const { connectRedis } = await import('./redis/redis-connection.ts');
  return connectRedis(url, { logger, keyPrefix });
}

/** The portal shows its key in two forms; only the decoded one comes out right when encoded once. */
function withDecodedServiceKey(secrets: SecretSource): SecretSource {
  const decoded = new WeakMap<Secret, Secret>();
  return (name) => {
    const secret = secrets(name);
    if (!secret || name !== 'PUBLIC_DATA_SERVICE_KEY') return secret;
    const known = decoded.get(secret);
    if (known) return known;
    const fresh = decodeServiceKey(secret);
    decoded.set(secret, fresh);
    return fresh;
  };
}

/** Half the time within which every replica must know of a revocation (docs/contract.md#authentication). */
const KEY_POLL_MS = 500;

/** Each call is in the audit log; here only what an operator must look into. */
function logFinished(
  logger: Logger,
  secrets: SecretSource,
  { auditId, context, entry, result }: FinishedCall,
): void {
  if (!(result instanceof GatewayError)) return;
  const line = { auditId, requestId: context.requestId, tool: entry.tool.name, code: result.code };
  if (result.code === 'internal') {
    const err = loggableError(result.cause, hiddenSecrets(entry.tool, secrets));
    logger.error({ ...line, err }, 'call failed');
  } else logger.debug(line, 'call failed');
}

/** A wildcard address is no address to call; IPv6 wants brackets. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
