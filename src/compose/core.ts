import { createAuthenticator, type ExternalTokens } from '../access/keys/authenticator.ts';
import { rateLimitsOf } from '../access/keys/key-change.ts';
import { createCallerLimiter } from '../access/limits/caller-limiter.ts';
import { createDailyCounts, createDailyLimiter } from '../access/limits/daily-limiter.ts';
import { addressBlock } from '../access/limits/failure-limiter.ts';
import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { createWrongKeys } from '../access/limits/wrong-keys.ts';
import { maskArguments } from '../audit/masking/mask-arguments.ts';
import { type CallTool, type CallToolDeps, createCallTool } from '../calls/call-tool.ts';
import { warnOfShortSecrets } from '../calls/hidden-secrets.ts';
import { logCall } from '../calls/log-call.ts';
import { withRanges } from '../calls/over/over-call.ts';
import { createConnectionFor } from '../calls/provider-keys/connections.ts';
import { keyNamesOf } from '../calls/provider-keys/key-users.ts';
import type { CallOutcome } from '../calls/tool-call.ts';
import { createLiveCalls } from '../dialects/admin/live-calls.ts';
import { publishToolResult } from '../dialects/events/dialect.ts';
import { createStreamHub, type StreamHub } from '../events/stream-hub.ts';
import { createResponseCounts } from '../http/access-log.ts';
import { createClientAddress } from '../http/client-address.ts';
import { openClientConnections } from '../http/connections/connections.ts';
import { watchDescriptors } from '../http/connections/descriptors.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import { createOutageLog } from '../platform/kernel/log-lines.ts';
import { allotMemory, memoryLimits } from '../platform/kernel/memory-limit.ts';
import type { CountRefusal } from '../platform/kernel/refusal.ts';
import { createSteadyClock } from '../platform/kernel/time.ts';
import { workerScript } from '../platform/kernel/worker-queue.ts';
import { incompleteUntil, nextPublication } from '../public-data/computed-defaults.ts';
import { PUBLIC_DATA_PAYLOADS } from '../public-data/payload-domain.ts';
import { createFoundRows } from '../registrations/store/found-rows.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { createArgumentThread } from '../tools/request/argument-thread.ts';
import type { RequestSender, ToolConnection } from '../tools/tool-connection.ts';
import { createResponseCache } from '../upstreams/cache/response-cache.ts';
import { createUpstreamClient } from '../upstreams/client/create-upstream-client.ts';
import { createPayloadNormaliser } from '../upstreams/payload/create-payload-normaliser.ts';
import { createCodes, resolveIn } from './codes.ts';
import { createExternal } from './external-tokens.ts';
import { clientOptions, createGuarded } from './guarded.ts';
import { openLastGood } from './last-good.ts';
import { createMetrics } from './metrics/metrics.ts';
import type { GatewayContext } from './options.ts';
import { openQuotas } from './quotas.ts';
import type { ReadinessParts } from './readiness.ts';
import { openResults } from './results.ts';
import type { Storage } from './storage.ts';
import { openCallTraces } from './traces.ts';

/** Creates the core, which authenticates, runs and observes the tool calls of every dialect. */
export function createCore(context: GatewayContext, storage: Storage, keys: ReadinessParts) {
  const { settings, catalog, clock } = context;
  const { openTopic } = storage;
  const maxPerTenant = Math.ceil(settings.MAX_CONNECTIONS / 2);
  const hub = createStreamHub({ logger: context.logger, openTopic, maxPerTenant });
  const liveCalls = context.parts.add(createLiveCalls(openTopic));
  const clients = openClients(context);
  const upstreamParts = createUpstreamParts(context, storage, keys);
  const { upstreams } = upstreamParts;
  const guarded = createGuarded(context, upstreamParts.budget);
  const metrics = createCoreMetrics(context, storage, { ...upstreamParts, guarded, hub, clients });
  const traces = openCallTraces(context);
  const connection = createOperatorConnection(context, keys, upstreams);
  const quotas = openQuotas(context, storage, { ...keys, hub });
  const codes = createCodes(context, { ...upstreamParts, quotas, connection });
  const callDeps = {
    ...upstreamParts,
    ...observers(context, storage.statistics.refused, (finished) => {
      metrics.observe(finished);
      traces?.observe(finished);
      publishToolResult(hub, finished);
      liveCalls.publish(finished);
    }),
    connectionFor: createConnectionFor(connection, keys.providerKeys),
    quotas,
    observeKey: keys.observeKey,
    isWrongKey: keys.isWrongKey,
    observeRows: openFoundRows(context, storage).observe,
    catalog,
    ledger: storage.audit.ledger,
    clock,
    nextPublication,
    incompleteUntil,
    resolveCode: resolveIn(codes),
    isSandbox: context.isSandbox ?? false,
    mask: maskArguments,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
  };
  /** Calls a tool that differs from the one in the catalog, for example by its connection. */
  const callEntry = (entry: CatalogEntry, ...call: Parameters<CallTool>): Promise<CallOutcome> =>
    createCallTool({
      ...callDeps,
      catalog: { find: () => entry, isDenied: () => false, list: () => [entry] },
    })(...call);
  const identity = createIdentity(context, storage, hub, createExternal(context, storage, guarded));
  const results = openResults(context, storage);
  const ranges = {
    ...callDeps,
    countRequests: identity.limiter.consume,
    codesWithin: codes.within,
    results,
    onFileError: createOutageLog(context.logger, 'the rows of a range cannot be kept as a file'),
  };
  return {
    ...upstreamParts,
    ...identity,
    guarded,
    hub,
    liveCalls,
    ...clients,
    metrics,
    callTool: withRanges(ranges, createCallTool(callDeps)),
    callEntry,
    codes,
    quotas,
    results,
  };
}

const openFoundRows = ({ clock, logger, parts }: GatewayContext, { database: { db } }: Storage) => {
  const onError = createOutageLog(logger, 'where rows were found cannot be stored');
  return parts.add(createFoundRows({ db, clock, onError }));
};

/** Creates the metrics of what the gateway is made of. */
function createCoreMetrics(
  context: GatewayContext,
  storage: Storage,
  parts: Pick<ReturnType<typeof createUpstreamParts>, 'upstreams' | 'cache' | 'budget'> & {
    readonly guarded: ReturnType<typeof createGuarded>;
    readonly hub: StreamHub;
    readonly clients: ReturnType<typeof openClients>;
  },
) {
  const { upstreams, cache, budget, guarded, hub, clients } = parts;
  return createMetrics({
    securityEvents: context.securityLog.counts,
    refused: storage.statistics.refusedTotals,
    audit: storage.audit.ledger.stats,
    retention: storage.audit.retention.stats,
    postgres: storage.database.poolStats,
    replicas: storage.replicas,
    checkDependencies: storage.checkDependencies,
    upstreams,
    guarded: guarded.client,
    cache: cache.stats,
    responses: clients.responses.entries,
    streams: () => hub.count(),
    lostMessages: () => storage.bus?.lost() ?? 0,
    connections: clients.connections.stats,
    budget: budget.stats,
  });
}

/** Opens what is known of clients: their addresses, connections and responses. */
function openClients({ settings, logger, parts }: GatewayContext) {
  const clientAddress = createClientAddress(settings.TRUST_PROXY, () =>
    logger.warn(
      'Requests arrive with X-Forwarded-For, and TRUST_PROXY is not set: all clients behind a proxy count as one address. If a proxy of yours writes the header, set TRUST_PROXY.',
    ),
  );
  const isTrustedProxy = clientAddress.isProxy;
  const connections = parts.add(openClientConnections({ settings, logger, isTrustedProxy }));
  parts.add(watchDescriptors(logger));
  return { clientAddress, connections, responses: createResponseCounts() };
}

/**
 * The identity under which responses to the operator's own secrets are cached. It stays the same when a key changes: public
 * data does not depend on the key, so what was fetched with an earlier one is served until it expires.
 */
const OPERATOR = 'operator';

const createOperatorConnection = (
  { keySource }: GatewayContext,
  { keyInUse }: ReadinessParts,
  sender: RequestSender,
): ToolConnection => ({
  cacheIdentity: OPERATOR,
  secrets: keySource.secretOf,
  keyInUse,
  sender,
});

export type Core = ReturnType<typeof createCore>;

/** Creates the parts between a call and its upstream. */
function createUpstreamParts(context: GatewayContext, storage: Storage, keys: ReadinessParts) {
  const { settings, clock, parts } = context;
  const lastGood = openLastGood(context, storage, keys);
  const memory = allotMemory(memoryLimits(settings.MEMORY_LIMIT_BYTES), settings.CACHE_MAX_BYTES);
  const cache = parts.add(
    createResponseCache({
      ...storage.shared('cache:'),
      bus: storage.bus,
      lastGood,
      clock: createSteadyClock(clock),
      maxBytes: memory.cacheBytes,
      staleSeconds: settings.CACHE_STALE_SECONDS,
    }),
  );
  const upstreams = parts.add(createUpstreamClient(clientOptions(context)));
  const { normalise } = parts.add(
    createPayloadNormaliser({
      domain: PUBLIC_DATA_PAYLOADS,
      workerScript: workerScript('../public-data/payload-worker', import.meta.url),
      maxHeapMib: memory.threadHeapMib,
    }),
  );
  const argumentThread = parts.add(
    createArgumentThread({
      script: workerScript('../tools/request/argument-worker', import.meta.url),
      idleMs: memory.argumentIdleMs,
    }),
  );
  const budget = createByteBudget(memory.budgetBytes);
  const { threadHeapMib } = memory;
  return { cache, upstreams, normalise, argumentThread, budget, threadHeapMib };
}

/** Creates the parts that decide who may call, and how often. */
function createIdentity(
  { settings, clock, parts, securityLog }: GatewayContext,
  storage: Storage,
  hub: StreamHub,
  external: ExternalTokens | undefined,
) {
  const authenticator = parts.add(
    createAuthenticator({
      store: storage.apiKeys,
      tokens: storage.tokens,
      external,
      clock,
      pollMs: KEY_POLL_MS,
      rateLimitCap: settings.RATE_LIMIT_PER_MINUTE,
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
  const { keyPerMinute, tenantPerMinute } = rateLimitsOf(settings);
  const limiter = createCallerLimiter({
    rateLimiter: createRateLimiter({
      ...storage.shared('rate'),
      limitPerMinute: keyPerMinute,
      tenantLimitPerMinute: tenantPerMinute,
    }),
    dailyLimiter: parts.add(
      createDailyLimiter({
        counts: createDailyCounts(storage.database.db),
        clock,
        isShared: storage.database.backend === 'postgres',
        replicas: storage.replicas.living,
      }),
    ),
  });
  return { authenticator, limiter, wrongKeys: createWrongKeys(clock) };
}

/** Half the time within which every replica must apply a revocation (docs/contract.md#authentication). */
const KEY_POLL_MS = 500;

/** The observers of calls, besides the audit log. */
function observers(
  { catalog, keySource, logger, securityLog }: GatewayContext,
  refused: CountRefusal,
  onFinished: CallToolDeps['onFinished'],
): Pick<CallToolDeps, 'onNotFound' | 'onFinished'> {
  warnOfShortSecrets(keyNamesOf(catalog), keySource.secretOf, logger);
  return {
    onNotFound: (tool, { caller, clientIp: address, requestId }, reason) => {
      refused(caller, reason);
      if (reason === 'unknown_tool') return;
      const { tenantSlug: tenant, apiKeyId } = caller;
      const fields = { tool, tenant, apiKeyId, address, requestId };
      securityLog.record('tool_denied', fields, addressBlock(address));
    },
    onFinished: (finished) => {
      onFinished(finished);
      logCall(logger, keySource, finished);
    },
  };
}
