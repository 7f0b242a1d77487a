import type { CallContext } from '../../../calls/tool-call.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import {
  encodeRpcError,
  isRequest,
  type RpcError,
  type RpcMessage,
  type RpcRequest,
} from '../../json-rpc/json-rpc.ts';
import { ACCEPTED, type McpDialect, runMethod, TOOLS_CALL } from '../../json-rpc/methods.ts';
import type { RequestFacts, RequestHeaders, RouteResult } from '../../route.ts';
import { RESOURCES_READ } from '../shared/code-methods.ts';
import { decodeMcpMessage, nameOf } from '../shared/decode.ts';
import { metaOf, PROTOCOL_VERSION_KEY } from '../shared/detect-dialect.ts';
import { createRefuse, encodeError } from '../shared/encode.ts';
import { progressOf, sendResponse, withProgress } from '../shared/progress.ts';
import { STATELESS_REVISIONS } from '../shared/revisions.ts';
import { createStatelessMethods, type StatelessDeps } from './methods.ts';

/** MCP 2026-07-28: every request is complete in itself. */
export function createStatelessDialect(deps: StatelessDeps): McpDialect {
  const { refused } = deps;
  const methods = createStatelessMethods(deps);
  const refuse = createRefuse(refused);

  /** Throws for a stream that the rate limit or its own limit forbids. */
  function respondToRequest(
    message: RpcRequest,
    context: CallContext,
    request: RequestFacts,
  ): Awaitable<RouteResult> {
    const { id } = message;
    try {
      const progress = progressOf(message);
      const state = progress ? withProgress(request, progress) : request;
      const response = runMethod(methods, message, context, state);
      if ('stream' in response) return response;
      const work =
        response instanceof Promise ? response.catch((error) => encodeError(id, error)) : response;
      return sendResponse(work, progress, request.headers);
    } catch (error) {
      if (message.method === TOOLS_CALL) refused(context.caller, 'invalid_request');
      const code = error instanceof GatewayError ? error.code : null;
      // The HTTP status reports it: the client expects a stream, not a JSON-RPC response.
      if (message.method === 'subscriptions/listen' && code === 'rate_limited') throw error;
      return { status: code === 'method_not_found' ? 404 : 200, body: encodeError(id, error) };
    }
  }

  return {
    respond: (request, caller, body) => {
      let message: RpcMessage;
      try {
        message = decodeMcpMessage(body);
      } catch (error) {
        return refuse(error, caller);
      }
      if (!isRequest(message)) return ACCEPTED;
      const error = findRequestError(message, request.headers);
      if (error) {
        if (message.method === TOOLS_CALL) refused(caller, 'invalid_request');
        return { status: 400, body: encodeRpcError(message.id, error) };
      }
      const name = clientNameOf(message.params);
      const context = callContextOf(request, caller, 'stateless', name);
      return respondToRequest(message, context, request);
    },
    refuse,
  };
}

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
