import type { CallContext } from '../../../calls/tool-call.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import {
  encodeRpcError,
  isRequest,
  type RpcMessage,
  type RpcRequest,
} from '../../json-rpc/json-rpc.ts';
import { ACCEPTED, type McpDialect, runMethod } from '../../json-rpc/methods.ts';
import type { RequestFacts, RouteResult } from '../../route.ts';
import { decodeMcpMessage } from '../shared/decode.ts';
import { encodeError, refuse } from '../shared/encode.ts';
import { sendResponse } from '../shared/progress.ts';
import { clientNameOf, findRequestError } from './decode.ts';
import { createStatelessMethods, type StatelessDeps } from './methods.ts';

/** MCP 2026-07-28: every request is complete in itself. */
export function createStatelessDialect(deps: StatelessDeps): McpDialect {
  const methods = createStatelessMethods(deps);

  /** Throws for a stream that the rate limit or its own limit forbids. */
  function respondToRequest(
    message: RpcRequest,
    context: CallContext,
    request: RequestFacts,
  ): Awaitable<RouteResult> {
    const { id } = message;
    try {
      const response = runMethod(methods, message, context, request);
      if ('stream' in response) return response;
      const work =
        response instanceof Promise ? response.catch((error) => encodeError(id, error)) : response;
      return sendResponse(work, message, request.headers);
    } catch (error) {
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
        return refuse(error);
      }
      if (!isRequest(message)) return ACCEPTED;
      const error = findRequestError(message, request.headers);
      if (error) return { status: 400, body: encodeRpcError(message.id, error) };
      const name = clientNameOf(message.params);
      const context = callContextOf(request, caller, 'stateless', name);
      return respondToRequest(message, context, request);
    },
    refuse,
  };
}
