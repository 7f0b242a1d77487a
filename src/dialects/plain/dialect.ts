import type { ListTools } from '../../calls/list-tools.ts';
import type { CallContext } from '../../calls/tool-call.ts';
import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import { toGatewayError } from '../../platform/kernel/error.ts';
import type { CountRefusal } from '../../platform/kernel/refusal.ts';
import { type CallAnyTool, isOwnResponse, plainResponse } from '../gateway-tools/own-response.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import { decodeCallParams, decodeMessage } from '../json-rpc/decode.ts';
import { encodeResponse, isRequest } from '../json-rpc/json-rpc.ts';
import { decodeListParams } from '../json-rpc/list-params.ts';
import {
  ACCEPTED,
  type BatchHandler,
  type Charge,
  type McpDialect,
  type Method,
  type Methods,
  type Protocol,
  type RequestState,
  respondTo,
  respondToBatch,
  TOOLS_CALL,
} from '../json-rpc/methods.ts';
import type { Encoded } from '../json-rpc/splice.ts';
import { createToolListEncoder, encodeError, encodeOutcome, encodeTools } from './encode.ts';

/** `POST /mcp` for clients that speak plain JSON-RPC 2.0 (docs/contract.md#json-rpc). */
export function createPlainDialect(
  { refused, ...tools }: PlainMethodDeps & Pick<Protocol, 'refused'>,
  charge: Charge,
): McpDialect {
  const protocol: Protocol = { refused, methods: createPlainMethods(tools), encodeError };
  const refuse = createRefuse(refused);

  /** Runs a notification too, but responds with `none`. Never throws or rejects. */
  function respondToMessage<T>(
    entry: unknown,
    context: CallContext,
    request: RequestState,
    none: T,
  ): Awaitable<Encoded | T> {
    const message = decodeMessage(entry);
    if ('error' in message) {
      refused(context.caller, 'invalid_request');
      return encodeError(message.id, message.error);
    }
    if (isRequest(message)) return respondTo(protocol, message, context, request);
    // The client does not wait for the outcome of a notification, so its disconnect does not cancel the call.
    const uncancelled = { ...request, cancellation: undefined };
    const done = respondTo(protocol, { ...message, id: null }, context, uncancelled);
    return whenReady(done, () => none);
  }

  const batches: BatchHandler = {
    refuse,
    charge,
    respondToEntry: (entry, context, request) => respondToMessage(entry, context, request, null),
  };

  return {
    respond: (request, caller, body) => {
      const context = callContextOf(request, caller, 'plain');
      if (Array.isArray(body)) return respondToBatch(batches, body, context, request);
      return respondToMessage(body, context, request, ACCEPTED);
    },
    refuse,
  };
}

const createRefuse =
  (refused: CountRefusal): McpDialect['refuse'] =>
  (thrown, caller) => {
    refused(caller, 'invalid_request');
    const isUnreadable = toGatewayError(thrown).code === 'unreadable_request';
    return { status: isUnreadable ? 400 : 200, body: encodeError(null, thrown) };
  };

export interface PlainMethodDeps {
  readonly listTools: ListTools;
  readonly callTool: CallAnyTool;
}

export function createPlainMethods({ listTools, callTool }: PlainMethodDeps): Methods {
  const encodeToolList = createToolListEncoder();
  return new Map<string, Method>([
    [
      'tools/list',
      ({ id, params }, { caller }) =>
        whenReady(listTools(caller, decodeListParams(params)), (entries) =>
          encodeTools(id, encodeToolList(entries)),
        ),
    ],
    [
      TOOLS_CALL,
      (message, context, { cancellation }) =>
        callTool({ ...decodeCallParams(message), cancellation }, context).then((outcome) =>
          isOwnResponse(outcome)
            ? encodeResponse(message.id, plainResponse(outcome))
            : encodeOutcome(message.id, outcome),
        ),
    ],
  ]);
}
