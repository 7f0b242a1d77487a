import { createAuthenticator } from '../access/keys/authenticator.ts';
import { addressBlock } from '../access/limits/address-block.ts';
import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { maskArguments } from '../audit/masking/mask-arguments.ts';
import { createResponseCache } from '../cache/response-cache.ts';
import { type CallToolDeps, createCallTool } from '../calls/call-tool.ts';
import { logCall } from '../calls/log-call.ts';
import { warnOfShortSecrets } from '../calls/short-secrets.ts';
import { publishToolResult } from '../dialects/events/events-dialect.ts';
import { createStreamHub, type StreamHub } from '../events/stream-hub.ts';
import { createClientAddress } from '../http/client-address.ts';
import { openClientConnections } from '../http/connections/client-connections.ts';
import { watchDescriptors } from '../http/connections/descriptors.ts';
import { createMetrics } from '../http/metrics.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import { createSteadyClock } from '../platform/kernel/clock.ts';
import { allotMemory, memoryLimits } from '../platform/kernel/memory-limit.ts';
import { withDecodedServiceKey } from '../public-data/service-key.ts';
import { createUpstreamClient } from '../upstreams/client/create-upstream-client.ts';
import { createPayloadNormaliser } from '../upstreams/payload/create-payload-normaliser.ts';
import type { Ground } from './options.ts';
import type { Storage } from './storage.ts';

/** The parts that a call passes, and the call itself. */
export function createCore(ground: Ground, storage: Storage) {
  const { settings, logger, parts, securityLog } = ground;
  const { audit } = storage;
  const hub = createStreamHub({ logger });
  const clientAddress = createClientAddress(settings.TRUST_PROXY);
  const isTrustedProxy = clientAddress.isProxy;
  const connections = parts.add(openClientConnections({ settings, logger, isTrustedProxy }));
  parts.add(watchDescriptors(logger));
  const room = createUpstreamRoom(ground, storage);
  const metrics = createMetrics({
    streams: () => hub.count(),
    audit: audit.ledger.stats,
    retention: audit.retention.stats,
    connections: connections.stats,
    budget: room.budget.stats,
    securityEvents: securityLog.counts,
  });
  const secrets = withDecodedServiceKey(ground.secrets);
  const callTool = createCallTool({
    ...room,
    ...observers({ ...ground, secrets }, (finished) => {
      metrics.observe(finished);
      publishToolResult(hub, finished);
    }),
    catalog: ground.catalog,
    ledger: audit.ledger,
    clock: ground.clock,
    mask: maskArguments,
    secrets,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
  });
  return {
    ...room,
    ...createIdentity(ground, storage, hub),
    hub,
    clientAddress,
    connections,
    metrics,
    callTool,
  };
}

export type Core = ReturnType<typeof createCore>;

/** What lies between a call and its upstream. */
function createUpstreamRoom({ settings, logger, clock, parts }: Ground, { shared }: Storage) {
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
  const { normalise } = parts.add(createPayloadNormaliser({ maxHeapMib: memory.threadHeapMib }));
  return { cache, upstreams, normalise, budget: createByteBudget(memory.budgetBytes) };
}

/** Who may call, and how often. */
function createIdentity(ground: Ground, { apiKeys, shared }: Storage, hub: StreamHub) {
  const { settings, clock, parts, securityLog } = ground;
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
  const limitPerMinute = settings.RATE_LIMIT_PER_MINUTE;
  return { authenticator, rateLimiter: createRateLimiter({ ...shared('rate'), limitPerMinute }) };
}

/** Half the time within which every replica must know of a revocation (docs/contract.md#authentication). */
const KEY_POLL_MS = 500;

type Observers = Pick<CallToolDeps, 'onDenied' | 'onFinished'>;

/** Who is told of calls, beside the audit log. */
function observers(ground: Ground, onFinished: CallToolDeps['onFinished']): Observers {
  const { catalog, secrets, logger, securityLog } = ground;
  const tools = catalog.presetEntries.map(({ tool }) => tool);
  warnOfShortSecrets(tools, secrets, logger);
  return {
    onDenied: (tool, { caller, clientIp: address, requestId }) => {
      const { tenantSlug: tenant, apiKeyId } = caller;
      const fields = { tool, tenant, apiKeyId, address, requestId };
      securityLog.record('tool_denied', fields, addressBlock(address));
    },
    onFinished: (finished) => {
      onFinished(finished);
      logCall(logger, secrets, finished);
    },
  };
}
