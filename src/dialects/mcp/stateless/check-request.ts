import { isObject, type RpcId } from '../../json-rpc/json-rpc.ts';
import type { RequestFacts } from '../../route.ts';
import { PROTOCOL_VERSION_KEY, STATELESS_REVISION } from '../shared/detect-dialect.ts';

/** Error codes of MCP 2026-07-28, "Error codes". */
const INVALID_PARAMS = -32602;
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';

/** Characters of a client's text that an answer repeats. */
const MAX_QUOTED = 100;

/** A request that stands alone. */
export interface StatelessRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

export interface RequestFault {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

const fault = (code: number, message: string, data?: object): RequestFault => ({
  code,
  message,
  ...(data ? { data } : {}),
});

const metaOf = (params: unknown): Record<string, unknown> => {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta : {};
};

/** What the client calls itself, in `_meta`. */
export function clientNameOf(params: unknown): string | undefined {
  const info = metaOf(params)[CLIENT_INFO_KEY];
  const name = isObject(info) ? info['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/**
 * What is wrong with the `_meta` or the headers of a request, in the order of MCP 2026-07-28 "Streamable HTTP": what
 * is there is compared before what is missing is missed. Undefined when nothing is.
 */
export function faultOf(
  { method, params }: StatelessRequest,
  headers: RequestFacts['headers'],
): RequestFault | undefined {
  const meta = metaOf(params);
  const version = meta[PROTOCOL_VERSION_KEY];
  if (typeof version !== 'string') return missingMeta(PROTOCOL_VERSION_KEY, 'a string');
  if (!isObject(meta[CAPABILITIES_KEY])) return missingMeta(CAPABILITIES_KEY, 'an object');
  const said = headers['mcp-protocol-version'];
  const saidMethod = headers['mcp-method'];
  if (said !== undefined && said !== version)
    return mismatch('MCP-Protocol-Version', said, version);
  if (saidMethod !== undefined && saidMethod !== method) {
    return mismatch('Mcp-Method', saidMethod, method);
  }
  if (version !== STATELESS_REVISION) return unsupported(version);
  if (said === undefined) return missingHeader('MCP-Protocol-Version');
  if (saidMethod === undefined) return missingHeader('Mcp-Method');
  return method === 'tools/call' ? nameFaultOf(params, headers['mcp-name']) : undefined;
}

function nameFaultOf(params: unknown, said: unknown): RequestFault | undefined {
  const name = isObject(params) ? params['name'] : undefined;
  if (said === undefined) return missingHeader('Mcp-Name');
  const decoded = decodeHeaderValue(String(said));
  return decoded === name ? undefined : mismatch('Mcp-Name', String(said), name);
}

/** A value that is no plain ASCII comes as `=?base64?...?=`. */
function decodeHeaderValue(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

const missingMeta = (key: string, kind: string): RequestFault =>
  fault(INVALID_PARAMS, `params._meta must have ${key}, ${kind}.`);

const missingHeader = (name: string): RequestFault =>
  fault(HEADER_MISMATCH, `The header ${name} is missing.`);

const mismatch = (name: string, said: unknown, body: unknown): RequestFault =>
  fault(HEADER_MISMATCH, `The header ${name} says ${quote(said)}, but the body ${quote(body)}.`);

const quote = (value: unknown): string => JSON.stringify(String(value).slice(0, MAX_QUOTED));

const unsupported = (requested: string): RequestFault =>
  fault(
    UNSUPPORTED_VERSION,
    `The protocol version ${quote(requested)} is not supported without initialize.`,
    { supported: [STATELESS_REVISION], requested: requested.slice(0, MAX_QUOTED) },
  );
