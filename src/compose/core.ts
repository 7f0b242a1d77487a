import { createAuthenticator } from '../access/keys/authenticator.ts';
import { rateLimitsOf } from '../access/keys/rate-limit-cap.ts';
import { addressBlock } from '../access/limits/address-block.ts';
import { createCallerLimiter } from '../access/limits/caller-limiter.ts';
import { createDailyCounts } from '../access/limits/daily-counts.ts';
import { createDailyLimiter } from '../access/limits/daily-limiter.ts';
import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { maskArguments } from '../audit/masking/mask-arguments.ts';
import { createResponseCache } from '../cache/response-cache.ts';
import { type CallTool, type CallToolDeps, createCallTool } from '../calls/call-tool.ts';
import { logCall } from '../calls/log-call.ts';
import { keyNamesOf } from '../calls/provider-keys/key-users.ts';
import { warnOfShortSecrets } from '../calls/short-secrets.ts';
import type { CallOutcome } from '../calls/tool-call.ts';
import { createLiveCalls } from '../dialects/admin/live-calls.ts';
import { publishToolResult } from '../dialects/events/tool-result-event.ts';
import { createStreamHub, type StreamHub } from '../events/stream-hub.ts';
import { createClientAddress } from '../http/client-address.ts';
import { openClientConnections } from '../http/connections/client-connections.ts';
import { watchDescriptors } from '../http/connections/descriptors.ts';
import { createMetrics } from '../http/metrics/metrics.ts';
import { createResponseCounts } from '../http/response-counts.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import { createSteadyClock } from '../platform/kernel/clock.ts';
import { createDependencyChecks } from '../platform/kernel/dependency-checks.ts';
import { allotMemory, memoryLimits } from '../platform/kernel/memory-limit.ts';
import { workerScript } from '../platform/kernel/worker-script.ts';
import { incompleteUntil, nextPublication } from '../public-data/computed-defaults.ts';
import { PUBLIC_DATA_PAYLOADS } from '../public-data/payload-domain.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { createArgumentThread } from '../tools/request/argument-thread.ts';
import { createUpstreamClient } from '../upstreams/client/create-upstream-client.ts';
import { createPayloadNormaliser } from '../upstreams/payload/create-payload-normaliser.ts';
import { createCodes, resolveIn } from './codes.ts';
import { dependenciesOf } from './dependencies.ts';
import { createGuarded } from './guarded.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';
import { openCallTraces } from './traces.ts';

/** Creates the core, which authenticates, runs and observes the tool calls of every dialect. */
export function createCore(context: GatewayContext, storage: Storage) {
  const { settings, logger, parts } = context;
  const hub = createStreamHub({ logger });
  const liveCalls = createLiveCalls();
  const clientAddress = createClientAddress(settings.TRUST_PROXY);
  const connections = parts.add(
    openClientConnections({ settings, logger, isTrustedProxy: clientAddress.isProxy }),
  );
  parts.add(watchDescriptors(logger));
  const upstreamParts = createUpstreamParts(context, storage);
  const guarded = createGuarded(context, upstreamParts.budget);
  const responses = createResponseCounts();
  const metrics = createMetrics({
    ...outerSources(context, storage),
    upstreams: upstreamParts.upstreams,
    guarded: guarded.client,
    cache: upstreamParts.cache.stats,
    responses: responses.entries,
    streams: () => hub.count(),
    connections: connections.stats,
    budget: upstreamParts.budget.stats,
  });
  const traces = openCallTraces(context);
  const codes = createCodes(context, upstreamParts);
  const callDeps = {
    ...upstreamParts,
    ...observers(context, (finished) => {
      metrics.observe(finished);
      traces?.observe(finished);
      publishToolResult(hub, finished);
      liveCalls.publish(finished);
    }),
    connection: {
      cacheIdentity: OPERATOR,
      secrets: context.keySource.secretOf,
      sender: upstreamParts.upstreams,
    },
    catalog: context.catalog,
    ledger: storage.audit.ledger,
    clock: context.clock,
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
      // The sandbox does not answer in place of the gateway itself.
      isSandbox: callDeps.isSandbox && entry.source !== 'gateway',
      catalog: { find: () => entry, isDenied: () => false },
    })(...call);
  return {
    ...upstreamParts,
    ...createIdentity(context, storage, hub),
    guarded,
    hub,
    liveCalls,
    clientAddress,
    connections,
    metrics,
    responses,
    callTool: createCallTool(callDeps),
    callEntry,
    codes,
  };
}

/** What the metrics read that is not of the core. */
const outerSources = ({ securityLog }: GatewayContext, storage: Storage) => ({
  securityEvents: securityLog.counts,
  audit: storage.audit.ledger.stats,
  retention: storage.audit.retention.stats,
  postgres: storage.database.poolStats,
  checkDependencies: createDependencyChecks(dependenciesOf(storage)),
});

/**
 * The identity under which responses to the operator's own secrets are cached. It stays the same when a key changes: public
 * data does not depend on the key, so what was fetched with an earlier one is served until it expires.
 */
const OPERATOR = 'operator';

export type Core = ReturnType<typeof createCore>;

/** Creates the parts between a call and its upstream. */
function createUpstreamParts(
  { settings, logger, clock, parts }: GatewayContext,
  { shared }: Storage,
) {
  const memory = allotMemory(memoryLimits(settings.MEMORY_LIMIT_BYTES), settings.CACHE_MAX_BYTES);
  const cache = parts.add(
    createResponseCache({
      ...shared('cache:'),
      clock: createSteadyClock(clock),
      maxBytes: memory.cacheBytes,
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
function createIdentity(context: GatewayContext, storage: Storage, hub: StreamHub) {
  const { clock, parts, securityLog } = context;
  const authenticator = parts.add(
    createAuthenticator({
      store: storage.apiKeys,
      clock,
      pollMs: KEY_POLL_MS,
      rateLimitCap: context.settings.RATE_LIMIT_PER_MINUTE,
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
  return { authenticator, limiter: createLimiter(context, storage) };
}

function createLimiter({ settings, clock, parts }: GatewayContext, { database, shared }: Storage) {
  const { keyPerMinute, tenantPerMinute } = rateLimitsOf(settings);
  return createCallerLimiter({
    rateLimiter: createRateLimiter({
      ...shared('rate'),
      limitPerMinute: keyPerMinute,
      tenantLimitPerMinute: tenantPerMinute,
    }),
    dailyLimiter: parts.add(createDailyLimiter({ counts: createDailyCounts(database.db), clock })),
  });
}

/** Half the time within which every replica must apply a revocation (docs/contract.md#authentication). */
const KEY_POLL_MS = 500;

type Observers = Pick<CallToolDeps, 'onDenied' | 'onFinished'>;

/** The observers of calls, besides the audit log. */
function observers(context: GatewayContext, onFinished: CallToolDeps['onFinished']): Observers {
  const { catalog, keySource, logger, securityLog } = context;
  warnOfShortSecrets(keyNamesOf(catalog), keySource.secretOf, logger);
  return {
    onDenied: (tool, { caller, clientIp: address, requestId }) => {
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
