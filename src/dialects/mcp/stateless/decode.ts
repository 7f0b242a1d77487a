import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { RpcError, RpcRequest } from '../../json-rpc/json-rpc.ts';
import { TOOLS_CALL } from '../../json-rpc/methods.ts';
import type { RequestHeaders } from '../../route.ts';
import { RESOURCES_READ } from '../shared/code-methods.ts';
import { nameOf } from '../shared/decode.ts';
import { metaOf, PROTOCOL_VERSION_KEY } from '../shared/detect-dialect.ts';
import { STATELESS_REVISIONS } from '../shared/revisions.ts';

/** Error codes of MCP 2026-07-28, "Error codes". */
const INVALID_PARAMS = -32602;
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';

/** The member of `params` that the header Mcp-Name repeats, by method. */
const NAMING = new Map([
  [TOOLS_CALL, 'name'],
  [RESOURCES_READ, 'uri'],
]);

/** Characters of a client's value that an error repeats. */
const MAX_QUOTED = 100;

/** The client's name, from `_meta`. */
export const clientNameOf = (params: unknown): string | undefined =>
  nameOf(metaOf(params)[CLIENT_INFO_KEY]);

/**
 * What is wrong with the `_meta` or the headers of a request, in the order of MCP 2026-07-28 "Streamable HTTP":
 * contradictions before missing headers. Undefined if nothing is wrong.
 */
export function findRequestError(
  { method, params }: RpcRequest,
  headers: RequestHeaders,
): RpcError | undefined {
  const meta = metaOf(params);
  const version = meta[PROTOCOL_VERSION_KEY];
  if (typeof version !== 'string') return missingMeta(PROTOCOL_VERSION_KEY, 'a string');
  if (!isObject(meta[CAPABILITIES_KEY])) return missingMeta(CAPABILITIES_KEY, 'an object');
  const headerVersion = headers['mcp-protocol-version'];
  const headerMethod = headers['mcp-method'];
  if (headerVersion !== undefined && headerVersion !== version) {
    return mismatch('MCP-Protocol-Version', headerVersion, version);
  }
  if (headerMethod !== undefined && headerMethod !== method) {
    return mismatch('Mcp-Method', headerMethod, method);
  }
  if (!STATELESS_REVISIONS.includes(version)) return unsupported(version);
  if (headerVersion === undefined) return missingHeader('MCP-Protocol-Version');
  if (headerMethod === undefined) return missingHeader('Mcp-Method');
  const naming = NAMING.get(method);
  if (naming === undefined) return undefined;
  const name = isObject(params) ? params[naming] : undefined;
  const headerName = headers['mcp-name'];
  if (headerName === undefined) return missingHeader('Mcp-Name');
  const isSame = decodeHeaderValue(String(headerName)) === name;
  return isSame ? undefined : mismatch('Mcp-Name', headerName, name);
}

/** Values with other than ASCII characters are sent as `=?base64?...?=`. */
function decodeHeaderValue(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

const missingMeta = (key: string, type: string): RpcError => ({
  code: INVALID_PARAMS,
  message: `params._meta must contain ${key} (${type}).`,
});

const missingHeader = (name: string): RpcError => ({
  code: HEADER_MISMATCH,
  message: `The header ${name} is missing.`,
});

const mismatch = (name: string, header: unknown, body: unknown): RpcError => ({
  code: HEADER_MISMATCH,
  message: `The header ${name} is ${quote(header)}, but the body specifies ${quote(body)}.`,
});

const quote = (value: unknown): string => JSON.stringify(String(value).slice(0, MAX_QUOTED));

const unsupported = (requested: string): RpcError => ({
  code: UNSUPPORTED_VERSION,
  message: `The protocol version ${quote(requested)} is not supported without initialize.`,
  data: { supported: STATELESS_REVISIONS, requested: requested.slice(0, MAX_QUOTED) },
});
