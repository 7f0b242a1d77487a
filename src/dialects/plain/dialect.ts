import type { CallContext } from '../../calls/tool-call.ts';
import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import { toGatewayError } from '../../platform/kernel/error.ts';
import { type BatchHandler, type Charge, respondToBatch } from '../json-rpc/batch.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import { decodeMessage } from '../json-rpc/decode.ts';
import { ACCEPTED, type McpDialect } from '../json-rpc/dialect.ts';
import { isRequest } from '../json-rpc/json-rpc.ts';
import { type Protocol, type RequestState, respondTo } from '../json-rpc/methods.ts';
import type { Encoded } from '../json-rpc/splice.ts';
import type { RouteResponse } from '../route.ts';
import { encodeError } from './encode.ts';
import { createPlainMethods, type PlainMethodDeps } from './methods.ts';

/** `POST /mcp` for clients that speak plain JSON-RPC 2.0 (docs/contract.md#json-rpc). */
export function createPlainDialect(deps: PlainMethodDeps, charge: Charge): McpDialect {
  const protocol: Protocol = { methods: createPlainMethods(deps), encodeError };

  /** Runs a notification too, but responds with `none`. Never throws or rejects. */
  function respondToMessage<T>(
    entry: unknown,
    context: CallContext,
    request: RequestState,
    none: T,
  ): Awaitable<Encoded | T> {
    const message = decodeMessage(entry);
    if ('error' in message) return encodeError(message.id, message.error);
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

const refuse = (thrown: unknown): RouteResponse => ({
  status: toGatewayError(thrown).code === 'unreadable_request' ? 400 : 200,
  body: encodeError(null, thrown),
});
