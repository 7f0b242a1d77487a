import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { stringifyResponse } from '../../json-rpc/encode.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import type { CodeEncoding } from '../shared/code-methods.ts';
import { STATELESS_REVISION } from '../shared/detect-dialect.ts';
import { INSTRUCTIONS, SERVER_INFO } from '../shared/server-info.ts';
import { inputSchemaOf, toolAnnotations, toolMeta } from '../shared/tool-meta.ts';
import type { ToolEncoding } from '../shared/tool-methods.ts';

export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Members of `_meta` in every result. */
const SERVER_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO };
/** Member of every result. */
const COMPLETE = { resultType: 'complete' };
/** How long clients may cache a list; subscriptions announce earlier changes. The content depends on the key. */
const CACHING = { ttlMs: 60_000, cacheScope: 'private' };

/** The result of `server/discover`. */
export const DISCOVERY = {
  supportedVersions: [STATELESS_REVISION],
  capabilities: { tools: { listChanged: true }, resources: {}, completions: {} },
  instructions: INSTRUCTIONS,
  ...CACHING,
  ...COMPLETE,
  _meta: SERVER_META,
};

/** The members of an object, without its braces. */
const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);

const SERVER_META_MEMBERS = membersOf(SERVER_META);
const COMPLETE_MEMBERS = membersOf(COMPLETE);

const toTool = (entry: CatalogEntry): object => ({
  name: entry.tool.name,
  title: entry.tool.title ?? entry.tool.name,
  description: entry.description,
  inputSchema: inputSchemaOf(entry),
  annotations: toolAnnotations(entry),
  ...toolMeta(entry),
});

/** What every result about codes has besides. */
export const STATELESS_CODES: CodeEncoding = {
  cached: { ...CACHING, ...COMPLETE, _meta: SERVER_META },
  other: { ...COMPLETE, _meta: SERVER_META },
};

/** How 2026-07-28 encodes results. */
export const STATELESS_ENCODING: ToolEncoding = {
  toTool,
  listMembers: `,${membersOf(STATELESS_CODES.cached)}`,
  callMembers: (meta) =>
    `,${COMPLETE_MEMBERS},"_meta":{${meta}${meta ? ',' : ''}${SERVER_META_MEMBERS}}`,
};

/** The response that ends a subscription. */
export const stringifySubscriptionEnd = (id: RpcId): string =>
  stringifyResponse(id, { ...COMPLETE, _meta: { [SUBSCRIPTION_KEY]: id, ...SERVER_META } });
