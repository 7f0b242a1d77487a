import type { FinishedCall } from '../../calls/call-tool.ts';
import { GatewayError } from '../../kernel/error.ts';
import { newClientId } from '../../kernel/ids.ts';
import { createSseStream } from '../../stream/sse-stream.ts';
import type { StreamHub } from '../../stream/stream-hub.ts';
import { NARROWING_QUERY, narrowCaller } from '../narrow-caller.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';

export interface EventsDialectDeps {
  readonly hub: StreamHub;
  readonly categories: readonly string[];
  readonly keepaliveMs: number;
  readonly maxBufferBytes: number;
}

/** `GET /mcp/sse` (specification "Events"). */
export function createEventsDialect(deps: EventsDialectDeps): Route {
  return {
    method: 'GET',
    path: '/mcp/sse',
    access: 'key',
    streams: true,
    tag: 'Events',
    summary: 'Stream of the tenant’s events',
    description:
      'Never-ending `text/event-stream`: `ready` first, then `message` with a `gateway/toolResult` notification for every finished call of the tenant, `byoapi` for registrations, and keepalive comments.',
    query: NARROWING_QUERY,
    answers: { 200: { description: 'The stream.' } },
    handle: (request) => {
      const { tenantId, apiKeyId } = narrowCaller(
        callerOf(request),
        request.query,
        deps.categories,
      );
      if (!deps.hub.hasRoom(apiKeyId)) {
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
            tenantId,
            apiKeyId,
            endpointQuery: narrowingOf(request.query),
            keepaliveMs: deps.keepaliveMs,
            maxBufferBytes: deps.maxBufferBytes,
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

/** Tells the tenant's client streams of a finished call, or the one stream that `_clientId` names. */
export function publishToolResult(hub: StreamHub, finished: FinishedCall): void {
  const { tenantId } = finished.context.caller;
  if (!hub.hasStreams(tenantId)) return;
  hub.publish(
    tenantId,
    { name: 'message', data: encodeToolResult(finished) },
    finished.call.clientId,
  );
}

function encodeToolResult({ entry, auditId, result, templateUrl }: FinishedCall): string {
  const { method, name } = entry.tool;
  const failed = result instanceof GatewayError;
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'gateway/toolResult',
    params: {
      tool: name,
      upstream: {
        method,
        url: failed ? templateUrl : result.answer.url,
        status: failed ? null : result.answer.status,
      },
      cacheStatus: failed ? null : result.cacheStatus,
      auditId,
      isError: failed || result.isError,
    },
  });
}
