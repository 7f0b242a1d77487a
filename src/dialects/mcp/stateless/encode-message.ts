import type { RenderedResult } from '../../../calls/render-result.ts';
import { toGatewayError } from '../../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { encodeOnce } from '../../json-rpc/encode-once.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import { isSafeTool } from '../../json-rpc/safe-tool.ts';
import { type Encoded, splice } from '../../json-rpc/splice.ts';
import { STATELESS_REVISION } from '../shared/detect-dialect.ts';
import { INSTRUCTIONS, SERVER_INFO } from '../shared/server-info.ts';
import type { RequestFault } from './check-request.ts';

export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** How long a list may be relied on; changes are told to those who listen. */
const TTL_MS = 60_000;

/** Members that every result has. */
const SERVER_META = `"io.modelcontextprotocol/serverInfo":${JSON.stringify(SERVER_INFO)}`;
const COMPLETE = '"resultType":"complete"';
/** What a list holds depends on the key. */
const CACHING = `"ttlMs":${TTL_MS},"cacheScope":"private"`;

const open = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`;

const DISCOVERED = JSON.stringify({
  supportedVersions: [STATELESS_REVISION],
  capabilities: { tools: { listChanged: true } },
  instructions: INSTRUCTIONS,
}).slice(1, -1);

/** The result of `server/discover`. */
export const encodeDiscovery = (id: RpcId): Encoded =>
  splice(`${open(id)}${DISCOVERED},${CACHING},${COMPLETE},"_meta":{${SERVER_META}}}}`);

export function encodeTools(id: RpcId, tools: Buffer, nextCursor: string | null): Encoded {
  const next = nextCursor === null ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  return splice(
    `${open(id)}"tools":`,
    tools,
    `${next},${CACHING},${COMPLETE},"_meta":{${SERVER_META}}}}`,
  );
}

export const encodeCall = (id: RpcId, { members, meta }: RenderedResult): Encoded =>
  splice(open(id), ...members, `,${COMPLETE},"_meta":{${meta}${meta ? ',' : ''}${SERVER_META}}}}`);

/** What ends a subscription: its answer, which has nothing to say. */
export const encodeSubscriptionEnd = (id: RpcId): string =>
  `${open(id)}${COMPLETE},"_meta":{"${SUBSCRIPTION_KEY}":${JSON.stringify(id)},${SERVER_META}}}}`;

export function encodeError(id: RpcId, thrown: unknown): Buffer {
  const { row, message, details } = toGatewayError(thrown);
  const data = details.errors ? { data: { errors: details.errors } } : {};
  return encodeFault(id, { code: row.rpcCode, message, ...data });
}

export const encodeFault = (id: RpcId, error: RequestFault): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error }));

/** Makes the encoder of the `tools` of a list. */
export const createToolsEncoder = () =>
  encodeOnce((entries) => entries.filter(isSafeTool).map(toTool));

const toTool = ({ tool, description }: CatalogEntry): object => ({
  name: tool.name,
  title: tool.title ?? tool.name,
  description,
  inputSchema: tool.inputSchema,
  annotations: tool.annotations,
});
