import type { FinishedCall } from '../../calls/call-tool.ts';
import { createSseStream } from '../../events/sse-stream.ts';
import type { StreamHub } from '../../events/stream-hub.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newClientId } from '../../platform/kernel/ids.ts';
import { NARROWING_QUERY, narrowCaller } from '../json-rpc/narrow-caller.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';

export interface EventsDialectDeps {
  readonly hub: StreamHub;
  readonly categories: readonly string[];
  readonly keepaliveMs: number;
  readonly maxBufferBytes: number;
}

/** `GET /mcp/sse` (docs/contract.md#server-sent-events). */
export function createEventsDialect(deps: EventsDialectDeps): Route {
  return {
    method: 'GET',
    path: '/mcp/sse',
    access: 'key',
    streams: true,
    tag: 'Events',
    summary: 'Stream of the tenant’s events',
    description:
      'Never-ending `text/event-stream`: `ready` first, then `message` with a `gateway/toolResult` notification for every finished call of the tenant whose tool the key may use, `byoapi` for registrations, and keepalive comments.',
    query: NARROWING_QUERY,
    answers: { 200: { description: 'The stream.' } },
    handle: (request) => {
      const caller = narrowCaller(callerOf(request), request.query, deps.categories);
      if (!deps.hub.hasRoom(caller.apiKeyId)) {
        throw new GatewayError(
          'rate_limited',
          'This API key has too many open streams; close some.',
          {
            details: { retryAfterSeconds: 1 },
          },
        );
      }
      return {
        stream: (response) => {
          const clientId = newClientId();
          const stream = createSseStream(response, {
            clientId,
            caller,
            endpointQuery: narrowingOf(request.query),
            keepaliveMs: deps.keepaliveMs,
            maxBufferBytes: deps.maxBufferBytes,
            lease: request.lease,
            onClose: () => deps.hub.remove(clientId),
          });
          deps.hub.add(stream);
        },
      };
    },
  };
}

/** What messages of this stream are narrowed by: the same as the stream. */
function narrowingOf(query: RouteRequest['query']): string {
  const given = Object.keys(NARROWING_QUERY).filter((name) => query[name] !== undefined);
  return given.map((name) => `&${name}=${encodeURIComponent(String(query[name]))}`).join('');
}

/**
 * Tells the tenant's client streams of a finished call, or the one stream that `_clientId` names. Who else listens is
 * not who called: the address is the masked one of the audit record.
 */
export function publishToolResult(hub: StreamHub, finished: FinishedCall): void {
  const { call, context, entry } = finished;
  const { tenantId } = context.caller;
  if (!hub.hasStreams(tenantId)) return;
  const tool = { name: entry.tool.name, category: entry.category };
  const data = encodeToolResult(finished);
  hub.publish(tenantId, { name: 'message', data, tool }, call.clientId);
}

function encodeToolResult({ entry, auditId, result, recordedUrl }: FinishedCall): string {
  const { method, name } = entry.tool;
  const failed = result instanceof GatewayError;
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'gateway/toolResult',
    params: {
      tool: name,
      upstream: {
        method,
        url: recordedUrl,
        status: failed ? null : result.response.status,
      },
      cacheStatus: failed ? null : result.cacheStatus,
      auditId,
      isError: failed || result.isError,
    },
  });
}
