import type { FinishedCall } from '../../calls/call-tool.ts';
import { encodeSseEvent } from '../../events/sse-event.ts';
import type { StreamHub } from '../../events/stream-hub.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { stringifyNotification } from '../json-rpc/encode.ts';

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
