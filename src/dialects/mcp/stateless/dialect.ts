import type { CallContext } from '../../../calls/tool-call.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import { ACCEPTED, type McpDialect } from '../../json-rpc/dialect.ts';
import { encodeRpcError } from '../../json-rpc/encode.ts';
import { isRequest, type RpcMessage, type RpcRequest } from '../../json-rpc/json-rpc.ts';
import { runMethod } from '../../json-rpc/methods.ts';
import type { RequestFacts, RouteResponse, RouteResult } from '../../route.ts';
import { decodeMcpMessage } from '../shared/decode.ts';
import type { DialectName } from '../shared/detect-dialect.ts';
import { encodeError, refuse } from '../shared/encode.ts';
import { sendResponse } from '../shared/progress.ts';
import { clientNameOf, findRequestError } from './decode.ts';
import { createStatelessMethods, type StatelessDeps } from './methods.ts';

const DIALECT: DialectName = 'stateless';

/** MCP 2026-07-28: every request is complete in itself. */
export function createStatelessDialect(deps: StatelessDeps): McpDialect {
  const methods = createStatelessMethods(deps);

  function respondToRequest(
    message: RpcRequest,
    context: CallContext,
    request: RequestFacts,
  ): Awaitable<RouteResult> {
    try {
      const response = runMethod(methods, message, context, request);
      if ('stream' in response) return response;
      const work =
        response instanceof Promise
          ? response.catch((error) => encodeError(message.id, error))
          : response;
      return sendResponse(work, message, request.headers);
    } catch (error) {
      return failureOf(message, error);
    }
  }

  return {
    respond: (request, caller, body) => {
      let message: RpcMessage;
      try {
        message = decodeMcpMessage(body);
      } catch (error) {
        return refuse(error);
      }
      if (!isRequest(message)) return ACCEPTED;
      const error = findRequestError(message, request.headers);
      if (error) return { status: 400, body: encodeRpcError(message.id, error) };
      const context = callContextOf(request, caller, DIALECT, clientNameOf(message.params));
      return respondToRequest(message, context, request);
    },
    refuse,
  };
}

/** The response to a request that failed. Throws if it is for a stream that the rate limit or its own limit forbids. */
function failureOf({ id, method }: RpcRequest, error: unknown): RouteResponse {
  const code = error instanceof GatewayError ? error.code : null;
  // The HTTP status reports it: the client expects a stream, not a JSON-RPC response.
  if (method === 'subscriptions/listen' && code === 'rate_limited') throw error;
  return { status: code === 'method_not_found' ? 404 : 200, body: encodeError(id, error) };
}
