import { JSON_MAX_CHARACTERS } from '../../../calls/model/json-content.ts';
import type { Rendering, ResultStyle } from '../../../calls/model/render-result.ts';
import type { Caller } from '../../../platform/kernel/caller.ts';
import { GatewayError, toGatewayError } from '../../../platform/kernel/error.ts';
import { oneLine } from '../../../platform/kernel/json-text.ts';
import type { CountRefusal } from '../../../platform/kernel/refusal.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { encodeRpcError, type RpcId } from '../../json-rpc/json-rpc.ts';
import type { McpDialect, RequestState } from '../../json-rpc/methods.ts';
import { type Encoded, piecesOf } from '../../json-rpc/splice.ts';
import type { RequestFacts } from '../../route.ts';

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

/** Responds to a request that cannot be processed as a whole, and counts it. */
export const createRefuse =
  (refused: CountRefusal): McpDialect['refuse'] =>
  (thrown, caller) => {
    refused(caller, 'invalid_request');
    return { status: 400, body: encodeError(null, thrown) };
  };

/** A JSON message as one `message` event, in pieces. The payload is copied only if it has line breaks. */
export const frameMessage = (message: Encoded): (string | Buffer)[] => [
  'event: message\ndata: ',
  ...piecesOf(message).map(oneLine),
  '\n\n',
];

/** How an address asks for results: by `?result=`, else by its toolset. Throws `invalid_request` for another value. */
export function resultStyleOf(
  { result }: RequestFacts['query'],
  { narrowing }: Pick<Caller, 'narrowing'>,
): ResultStyle {
  if (result === undefined) return narrowing?.toolset?.style ?? 'full';
  if (result === 'text' || result === 'structured' || result === 'json') return result;
  const given = JSON.stringify(String(result).slice(0, 50));
  throw new GatewayError(
    'invalid_request',
    `Unknown result ${given}. Choose text, structured or json.`,
  );
}

/** The form of schemas that an address asks for (`?schema=`). Throws `invalid_request` for another value. */
export function schemaFormOf({ schema }: RequestFacts['query']): SchemaForm {
  if (schema === undefined) return 'plain';
  if (schema === 'wide') return schema;
  const given = JSON.stringify(String(schema).slice(0, 50));
  throw new GatewayError(
    'invalid_request',
    `Unknown schema ${given}. Choose wide, or leave it out.`,
  );
}

/** From this revision on, clients know `resource_link` blocks (MCP 2025-06-18, "Resource Links"). */
const FIRST_WITH_LINKS = '2025-06-18';

/** How results are rendered: at most `maxCharacters`, or fewer if the toolset of the address says so; JSON has a cap of its own. */
export function renderingFor(
  { query, headers }: Pick<RequestState, 'query' | 'headers'>,
  caller: Pick<Caller, 'narrowing'>,
  maxCharacters: number,
): Rendering {
  const style = resultStyleOf(query, caller);
  const max = style === 'json' ? JSON_MAX_CHARACTERS : maxCharacters;
  const cap = caller.narrowing?.toolset?.maxCharacters ?? max;
  const knowsLinks = String(headers?.['mcp-protocol-version'] ?? '') >= FIRST_WITH_LINKS;
  return { style, maxCharacters: Math.min(cap, max), knowsLinks };
}
