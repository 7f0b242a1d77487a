import { toGatewayError } from '../../../platform/kernel/error.ts';
import { oneLine } from '../../../platform/kernel/json-text.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { encodeRpcError } from '../../json-rpc/encode.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import { type Encoded, piecesOf } from '../../json-rpc/splice.ts';
import type { RouteResponse } from '../../route.ts';

/** In which form schemas are listed: in words that every client takes, or whole. */
export type SchemaForm = 'plain' | 'wide';

/** How a revision of MCP encodes results. */
export interface McpEncoding {
  readonly toTool: (entry: CatalogEntry, form: SchemaForm) => object;
  /** Further members of results that clients may cache. */
  readonly cached: object;
  /** Further members of other results than calls. */
  readonly other: object;
  /** Further members of the result of a call, each after a comma. `meta` are the members of its `_meta` so far. */
  readonly callMembers: (meta: string) => string;
}

/** The response to a request that failed. Failed calls are results instead. */
export function encodeError(id: RpcId, thrown: unknown): Buffer {
  const { row, message, details } = toGatewayError(thrown);
  const data = details.errors ? { data: { errors: details.errors } } : {};
  return encodeRpcError(id, { code: row.rpcCode, message, ...data });
}

export const refuse = (thrown: unknown): RouteResponse => ({
  status: 400,
  body: encodeError(null, thrown),
});

/** A JSON message as one `message` event, in pieces. The payload is copied only if it has line breaks. */
export const frameMessage = (message: Encoded): (string | Buffer)[] => [
  'event: message\ndata: ',
  ...piecesOf(message).map(oneLine),
  '\n\n',
];
