import type { CallContext } from '../../../calls/tool-call.ts';
import { encodeSseEvent, openEventStream } from '../../../events/event-stream.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { newClientId } from '../../../platform/kernel/ids.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { CountRefusal } from '../../../platform/kernel/refusal.ts';
import {
  encodeResponse,
  type RpcId,
  type RpcRequest,
  stringifyNotification,
  stringifyResponse,
} from '../../json-rpc/json-rpc.ts';
import type { Method, Methods } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RouteStream } from '../../route.ts';
import { type CodeMethodDeps, createCodeMethods } from '../shared/code-methods.ts';
import type { McpEncoding } from '../shared/encode.ts';
import { STATELESS_REVISIONS } from '../shared/revisions.ts';
import { SERVER_INFO } from '../shared/server-info.ts';
import { createToolMethods, type ToolMethodDeps } from '../shared/tool-methods.ts';
import { toListedTool } from '../shared/tool-pages.ts';

/** A response, or the stream of a subscription. */
type StatelessResponse = Awaitable<Encoded> | RouteStream;

export interface StatelessDeps extends ToolMethodDeps, CodeMethodDeps {
  readonly refused: CountRefusal;
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

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Members of `_meta` in every result. */
const SERVER_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO };
/** Member of every result. */
const COMPLETE = { resultType: 'complete' };
/** How long clients may cache a list; subscriptions announce earlier changes. The content depends on the key. */
const CACHING = { ttlMs: 60_000, cacheScope: 'private' };

/** The result of `server/discover`. */
export const discovery = (instructions: string): object => ({
  supportedVersions: STATELESS_REVISIONS,
  capabilities: { tools: { listChanged: true }, resources: {}, completions: {} },
  instructions,
  ...CACHING,
  ...COMPLETE,
  _meta: SERVER_META,
});

/** The members of an object, without its braces. */
const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);

const SERVER_META_MEMBERS = membersOf(SERVER_META);
const COMPLETE_MEMBERS = membersOf(COMPLETE);

/** How 2026-07-28 encodes results. */
export const STATELESS_ENCODING: McpEncoding = {
  toTool: toListedTool,
  cached: { ...CACHING, ...COMPLETE, _meta: SERVER_META },
  other: { ...COMPLETE, _meta: SERVER_META },
  callMembers: (meta) =>
    `,${COMPLETE_MEMBERS},"_meta":{${meta}${meta ? ',' : ''}${SERVER_META_MEMBERS}}`,
};

/** The response that ends a subscription. */
export const stringifySubscriptionEnd = (id: RpcId): string =>
  stringifyResponse(id, { ...COMPLETE, _meta: { [SUBSCRIPTION_KEY]: id, ...SERVER_META } });
