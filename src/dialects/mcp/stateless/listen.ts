import type { CallContext } from '../../../calls/tool-call.ts';
import { openEventStream } from '../../../events/event-stream.ts';
import { encodeSseEvent } from '../../../events/sse-event.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { newClientId } from '../../../platform/kernel/ids.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import { stringifyNotification } from '../../json-rpc/encode.ts';
import type { RpcId, RpcRequest } from '../../json-rpc/json-rpc.ts';
import { assertRoomForStream } from '../../json-rpc/stream-limit.ts';
import type { RouteStream } from '../../route.ts';
import { SUBSCRIPTION_KEY, stringifySubscriptionEnd } from './encode.ts';

export interface ListenDeps {
  readonly hub: StreamHub;
  readonly keepaliveMs: number;
  readonly maxBufferBytes: number;
}

/** `subscriptions/listen`: a stream of the requested notifications. Changes of the tool list are the only kind. */
export function listen(
  { id, params }: RpcRequest,
  { caller: { tenantId, apiKeyId }, lease }: CallContext,
  { hub, keepaliveMs, maxBufferBytes }: ListenDeps,
): RouteStream {
  const requested = isObject(params) ? params['notifications'] : undefined;
  if (!isObject(requested)) {
    throw new GatewayError('invalid_arguments', 'params.notifications must be an object.');
  }
  assertRoomForStream(hub, apiKeyId);
  const wantsChanges = requested['toolsListChanged'] === true;
  return {
    stream: (response) => {
      const clientId = newClientId();
      const stream = openEventStream(response, {
        keepaliveMs,
        maxBufferBytes,
        lease,
        onClose: () => hub.remove(clientId),
      });
      const notify = (method: string, members: object): void =>
        stream.write(encodeSseEvent('message', notificationOf(id, method, members)));
      const end = (): void => stream.end(encodeSseEvent('message', stringifySubscriptionEnd(id)));
      const notifications = wantsChanges ? { toolsListChanged: true } : {};
      notify('notifications/subscriptions/acknowledged', { notifications });
      if (!wantsChanges) return end();
      const toolsChanged = (): void => notify('notifications/tools/list_changed', {});
      hub.add({ clientId, tenantId, apiKeyId, toolsChanged, listChanged: toolsChanged, end });
    },
  };
}

const notificationOf = (id: RpcId, method: string, members: object): string =>
  stringifyNotification(method, { _meta: { [SUBSCRIPTION_KEY]: id }, ...members });
