import type { CallContext } from '../../../calls/tool-call.ts';
import { openEventStream } from '../../../events/event-stream.ts';
import { encodeSseEvent } from '../../../events/sse-event.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { newClientId } from '../../../platform/kernel/ids.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import { encodeResponse, stringifyNotification } from '../../json-rpc/encode.ts';
import type { RpcRequest } from '../../json-rpc/json-rpc.ts';
import type { Method, Methods } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RouteStream } from '../../route.ts';
import { type CodeMethodDeps, createCodeMethods } from '../shared/code-methods.ts';
import { createToolMethods, type ToolMethodDeps } from '../shared/tool-methods.ts';
import {
  discovery,
  STATELESS_ENCODING,
  SUBSCRIPTION_KEY,
  stringifySubscriptionEnd,
} from './encode.ts';

/** A response, or the stream of a subscription. */
type StatelessResponse = Awaitable<Encoded> | RouteStream;

export interface StatelessDeps extends ToolMethodDeps, CodeMethodDeps {
  readonly hub: StreamHub;
  readonly keepaliveMs: number;
  readonly maxBufferBytes: number;
}

export const createStatelessMethods = (deps: StatelessDeps): Methods<StatelessResponse> =>
  new Map<string, Method<StatelessResponse>>([
    ['server/discover', ({ id }) => encodeResponse(id, discovery(deps.instructions()))],
    ...createToolMethods(deps, STATELESS_ENCODING),
    ...createCodeMethods(deps, STATELESS_ENCODING),
    ['subscriptions/listen', (message, context) => listen(message, context, deps)],
  ]);

/** `subscriptions/listen`: a stream of the requested notifications. Changes of the tool list are the only kind. */
function listen(
  { id, params }: RpcRequest,
  { caller: { tenantId, apiKeyId }, memory }: CallContext,
  { hub, keepaliveMs, maxBufferBytes }: StatelessDeps,
): RouteStream {
  const requested = isObject(params) ? params['notifications'] : undefined;
  if (!isObject(requested)) {
    throw new GatewayError('invalid_arguments', 'params.notifications must be an object.');
  }
  hub.assertRoom({ tenantId, apiKeyId });
  const wantsChanges = requested['toolsListChanged'] === true;
  return {
    stream: (response) => {
      const clientId = newClientId();
      const onClose = (): void => hub.remove(clientId);
      const options = { keepaliveMs, maxBufferBytes, memory, onClose };
      const stream = openEventStream(response, options);
      const notify = (method: string, members: object): void => {
        const subscribed = { _meta: { [SUBSCRIPTION_KEY]: id }, ...members };
        stream.write(encodeSseEvent('message', stringifyNotification(method, subscribed)));
      };
      const end = (): void => stream.end(encodeSseEvent('message', stringifySubscriptionEnd(id)));
      const notifications = wantsChanges ? { toolsListChanged: true } : {};
      notify('notifications/subscriptions/acknowledged', { notifications });
      if (!wantsChanges) return end();
      const toolsChanged = (): void => notify('notifications/tools/list_changed', {});
      hub.add({ clientId, tenantId, apiKeyId, toolsChanged, listChanged: toolsChanged, end });
    },
  };
}
