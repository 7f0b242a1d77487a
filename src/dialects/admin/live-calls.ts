import { maskClientName } from '../../audit/masking/mask-text.ts';
import type { FinishedCall } from '../../calls/call-tool.ts';
import { causeOfError } from '../../calls/judge-response.ts';
import type { Cause } from '../../platform/kernel/cause.ts';
import type { Closeable } from '../../platform/kernel/closing.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CacheStatus } from '../../platform/kernel/http-names.ts';
import { type OpenTopic, SILENT_TOPIC } from '../../platform/redis/topics.ts';

/** A finished call, as the live view shows it. */
export interface LiveCall {
  readonly auditId: string;
  /** When it ended: ISO 8601, UTC. */
  readonly at: string;
  readonly tool: string;
  readonly apiKeyId: string;
  readonly clientName: string | null;
  readonly dialect: string;
  readonly outcome: 'ok' | 'upstream_error' | 'error';
  /** The code of the error; null if the upstream responded. */
  readonly error: string | null;
  readonly cause: Cause | null;
  readonly upstreamStatus: number | null;
  readonly cacheStatus: CacheStatus | null;
  readonly durationMs: number;
}

/** Passes the finished calls of a tenant, on any replica, on to the people who watch them. */
export interface LiveCalls extends Closeable {
  /** Must not throw. Costs a look-up or two while the tenant is not watched. */
  publish(finished: FinishedCall): void;
  /** Returns what ends it. Throws GatewayError `rate_limited` if too many people watch the tenant. */
  watch(tenantId: string, onCall: (call: LiveCall) => void): () => void;
}

/** Live views of one tenant at once: each costs work for every call. */
const MAX_WATCHERS = 50;

export function createLiveCalls(openTopic: OpenTopic = () => SILENT_TOPIC): LiveCalls {
  const topic = openTopic('calls', (tenantId, { head }) =>
    show(tenantId, head['call'] as LiveCall),
  );
  /** Only tenants that are watched. */
  const watched = new Map<string, Set<(call: LiveCall) => void>>();

  function show(tenantId: string, call: LiveCall): void {
    for (const onCall of watched.get(tenantId) ?? []) onCall(call);
  }

  return {
    publish(finished) {
      const { tenantId } = finished.context.caller;
      const isAwaited = topic.isAwaited(tenantId);
      if (!isAwaited && !watched.has(tenantId)) return;
      const call = toLiveCall(finished);
      show(tenantId, call);
      if (isAwaited) topic.publish(tenantId, { head: { call }, body: NOTHING });
    },
    watch(tenantId, onCall) {
      const watchers = watched.get(tenantId) ?? new Set();
      if (watchers.size >= MAX_WATCHERS) throw tooMany();
      watched.set(tenantId, watchers.add(onCall));
      void topic.listen(tenantId);
      return () => {
        if (watchers.delete(onCall)) topic.leave(tenantId);
        if (watchers.size === 0 && watched.get(tenantId) === watchers) watched.delete(tenantId);
      };
    },
    close: topic.close,
  };
}

const NOTHING = Buffer.alloc(0);

const tooMany = (): GatewayError =>
  new GatewayError('rate_limited', 'Too many live views of this tenant are open; close one.', {
    details: { retryAfterSeconds: 5 },
  });

function toLiveCall({ auditId, entry, context, result, durationMs }: FinishedCall): LiveCall {
  const failed = result instanceof GatewayError;
  return {
    auditId,
    at: new Date().toISOString(),
    tool: entry.tool.name,
    apiKeyId: context.caller.apiKeyId,
    clientName: context.clientName && maskClientName(context.clientName),
    dialect: context.dialect,
    outcome: failed ? 'error' : result.isError ? 'upstream_error' : 'ok',
    error: failed ? result.code : null,
    cause: failed ? causeOfError(result) : result.cause,
    upstreamStatus: failed ? null : result.response.status,
    cacheStatus: failed ? null : result.cacheStatus,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}
