import type { FinishedCall } from '../../calls/call-tool.ts';
import { encodeSseEvent } from '../../events/event-stream.ts';
import { createSseStream } from '../../events/sse-stream.ts';
import type { StreamHub } from '../../events/stream-hub.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newClientId } from '../../platform/kernel/ids.ts';
import { type JobView, jobEventOf } from '../../registrations/registration-views.ts';
import type { JobOwner } from '../../registrations/registrations.ts';
import { stringifyNotification } from '../json-rpc/json-rpc.ts';
import { ADDRESS_QUERY, type AddressNames, narrowCaller } from '../json-rpc/narrow-caller.ts';
import { callerOf, endsWithSlash, type Route, type RouteRequest } from '../route.ts';

export interface EventsDialectDeps extends AddressNames {
  readonly hub: StreamHub;
  /** This process, if others share its sessions. */
  readonly replica?: string | undefined;
  readonly keepaliveMs: number;
  readonly maxBufferBytes: number;
}

/** `GET /mcp/sse` (docs/contract.md#server-sent-events). */
export function createEventsDialect(deps: EventsDialectDeps): Route {
  return {
    method: 'GET',
    path: '/mcp/sse',
    operation: 'streamEvents',
    access: 'key',
    acceptsGrants: true,
    streams: true,
    tag: 'Events',
    summary: 'Stream of the tenant’s events',
    description:
      'A `text/event-stream` that never ends: first `ready`, then `message` with a `gateway/toolResult` notification for every finished call of the tenant whose tool the key may use, `byoapi` for registrations, and keepalive comments.',
    query: ADDRESS_QUERY,
    ignoresOtherQuery: true,
    responses: {
      200: {
        description: 'The stream.',
        contentType: 'text/event-stream',
        schema: { type: 'string' },
      },
    },
    handle: async (request) => {
      const caller = narrowCaller(callerOf(request), request.query, deps);
      deps.hub.assertRoom(caller);
      await deps.hub.announce(caller.tenantId);
      return {
        stream: (response) => {
          const clientId = newClientId(deps.replica);
          const stream = createSseStream(response, {
            clientId,
            caller,
            endpoint: endpointOf(request, clientId),
            keepaliveMs: deps.keepaliveMs,
            maxBufferBytes: deps.maxBufferBytes,
            memory: request.memory,
            onClose: () => deps.hub.remove(clientId),
          });
          deps.hub.add(stream);
        },
      };
    },
  };
}

/**
 * The address to which the client of a stream posts messages, with the query parameters of the stream. It is relative: a
 * proxy may serve the gateway below a path of its own.
 */
function endpointOf({ target, query }: RouteRequest, clientId: string): string {
  const given = Object.keys(ADDRESS_QUERY).filter((name) => query[name] !== undefined);
  const others = given.map((name) => `&${name}=${encodeURIComponent(String(query[name]))}`);
  const path = endsWithSlash(target) ? '../../mcp' : '../mcp';
  return `${path}?sessionId=${clientId}${others.join('')}`;
}

/**
 * Publishes a finished call to the tenant's client streams, or to the one stream that `_clientId` names. Other keys of
 * the tenant listen too, so the URL has no value if an argument was masked.
 */
export function publishToolResult(hub: StreamHub, finished: FinishedCall): void {
  const { call, context, entry } = finished;
  const { tenantId } = context.caller;
  if (!hub.isAwaited(tenantId)) return;
  const tool = { id: entry.id, name: entry.tool.name, category: entry.category };
  const frame = encodeSseEvent('message', encodeToolResult(finished));
  hub.publish(tenantId, { frame, tool }, call.clientId);
}

function encodeToolResult({ entry, auditId, result, publishedUrl }: FinishedCall): string {
  const { method, name } = entry.tool;
  const failed = result instanceof GatewayError;
  return stringifyNotification('gateway/toolResult', {
    tool: name,
    upstream:
      entry.source === 'gateway'
        ? null
        : { method, url: publishedUrl, status: failed ? null : result.response.status },
    cacheStatus: failed ? null : result.cacheStatus,
    auditId,
    isError: failed || result.isError,
  });
}

/**
 * Publishes the state of a registration job to the streams of the API key that asked for it, and to no other: other keys
 * of the tenant may not be allowed to see its tools (docs/contract.md#server-sent-events).
 */
export function publishJob(hub: StreamHub, view: JobView, owner: JobOwner): void {
  if (!hub.isAwaited(owner.tenantId)) return;
  hub.publishToKey(owner, encodeSseEvent('byoapi', JSON.stringify(jobEventOf(view))));
}
