import type { Caller } from '../../../access/keys/caller.ts';
import { openEventStream } from '../../../events/event-stream.ts';
import { encodeSseEvent } from '../../../events/sse-event.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { newClientId } from '../../../platform/kernel/ids.ts';
import { isObject, type RpcId } from '../../json-rpc/json-rpc.ts';
import type { RequestFacts, RouteStream } from '../../route.ts';
import type { StatelessRequest } from './check-request.ts';
import { encodeSubscriptionEnd, SUBSCRIPTION_KEY } from './encode-message.ts';

export interface ListenDeps {
  readonly hub: StreamHub;
  readonly keepaliveMs: number;
  readonly maxBufferBytes: number;
}

/** `subscriptions/listen`: a stream of the notifications asked for, of which changes of the tool list are the only kind. */
export function listen(
  { id, params }: StatelessRequest,
  { tenantId, apiKeyId }: Caller,
  lease: RequestFacts['lease'],
  { hub, keepaliveMs, maxBufferBytes }: ListenDeps,
): RouteStream {
  const wanted = isObject(params) ? params['notifications'] : undefined;
  if (!isObject(wanted)) {
    throw new GatewayError('invalid_arguments', 'params.notifications must be an object.');
  }
  if (!hub.hasRoom(apiKeyId)) throw tooManyStreams();
  const hears = wanted['toolsListChanged'] === true;
  return {
    stream: (response) => {
      const clientId = newClientId();
      const stream = openEventStream(response, {
        keepaliveMs,
        maxBufferBytes,
        lease,
        onClose: () => hub.remove(clientId),
      });
      const tell = (method: string, members: object): void => {
        stream.write(encodeNotification(method, id, members));
      };
      const end = (): void => stream.end(encodeSseEvent('message', encodeSubscriptionEnd(id)));
      const notifications = hears ? { toolsListChanged: true } : {};
      tell('notifications/subscriptions/acknowledged', { notifications });
      if (!hears) return end();
      const toolsChanged = (): void => tell('notifications/tools/list_changed', {});
      hub.add({ clientId, tenantId, apiKeyId, toolsChanged, end });
    },
  };
}

const encodeNotification = (method: string, id: RpcId, members: object): string =>
  encodeSseEvent(
    'message',
    JSON.stringify({
      jsonrpc: '2.0',
      method,
      params: { _meta: { [SUBSCRIPTION_KEY]: id }, ...members },
    }),
  );

const tooManyStreams = (): GatewayError =>
  new GatewayError('rate_limited', 'This API key has too many open streams; close some.', {
    details: { retryAfterSeconds: 1 },
  });
