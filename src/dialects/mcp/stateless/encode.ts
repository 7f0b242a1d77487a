import { stringifyResponse } from '../../json-rpc/encode.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import type { McpEncoding } from '../shared/encode.ts';
import { toListedTool } from '../shared/listed-tool.ts';
import { STATELESS_REVISIONS } from '../shared/revisions.ts';
import { SERVER_INFO } from '../shared/server-info.ts';

export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

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
