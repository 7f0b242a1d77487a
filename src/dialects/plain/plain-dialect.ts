import type { CallTool } from '../../calls/call-tool.ts';
import type { ListTools } from '../../calls/list-tools.ts';
import type { CallContext } from '../../calls/tool-call.ts';
import { whenReady } from '../../platform/kernel/awaitable.ts';
import type { Departure } from '../../platform/kernel/departure.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import { decodeListParams } from '../json-rpc/decode-list-params.ts';
import { decodeCallParams, decodeRequest, type RpcRequest } from '../json-rpc/json-rpc.ts';
import type { McpDialect } from '../json-rpc/mcp-dialect.ts';
import { type Encoded, joinArray } from '../json-rpc/splice.ts';
import type { RouteResponse } from '../route.ts';
import { encodeError, encodeOutcome, encodeResult } from './encode-response.ts';
import { createToolListEncoder } from './encode-tool-list.ts';

/** Entries of one batch (docs/contract.md#messages). */
const MAX_BATCH = 50;

export interface PlainDialectDeps {
  readonly listTools: ListTools;
  readonly callTool: CallTool;
  /** Takes the further entries of a batch off the caller's rate limit; throws `rate_limited`. */
  readonly chargeBatch: (apiKeyId: string, entries: number) => void | Promise<void>;
}

/** `POST /mcp` for callers who speak plain JSON-RPC 2.0 (docs/contract.md#json-rpc). */
export function createPlainDialect(deps: PlainDialectDeps): McpDialect {
  const encodeToolList = createToolListEncoder();

  function listTools(params: unknown, { caller }: CallContext): Buffer {
    return encodeToolList(deps.listTools(caller, decodeListParams(params)));
  }

  /** Runs one method; its answer is a whole JSON-RPC response. */
  function dispatch(
    request: RpcRequest,
    context: CallContext,
    departure: (() => Departure) | undefined,
  ): Encoded | Promise<Encoded> {
    const id = request.id ?? null;
    switch (request.method) {
      case 'tools/list':
        return encodeResult(id, listTools(request.params, context));
      case 'tools/call':
        return deps
          .callTool({ ...decodeCallParams(request.params), departure }, context)
          .then((outcome) => encodeOutcome(id, outcome));
      default:
        throw new GatewayError(
          'method_not_found',
          `The method ${JSON.stringify(request.method.slice(0, 100))} does not exist; there are tools/list and tools/call.`,
        );
    }
  }

  /** Answers one element; null for a notification, which is run but never answered. Never fails. */
  function answerOne(
    value: unknown,
    context: CallContext,
    departure: () => Departure,
  ): Encoded | null | Promise<Encoded | null> {
    const request = decodeRequest(value);
    if ('error' in request) return encodeError(request.id, request.error);
    const { id } = request;
    const fail = (error: unknown) => (id === undefined ? null : encodeError(id, error));
    try {
      // Nobody waits for what a notification comes to, so nobody can give it up.
      const response = dispatch(request, context, id === undefined ? undefined : departure);
      return whenReady(response, (encoded) => (id === undefined ? null : encoded), fail);
    } catch (error) {
      return fail(error);
    }
  }

  async function answerBatch(
    batch: unknown[],
    context: CallContext,
    departure: () => Departure,
  ): Promise<RouteResponse> {
    if (batch.length === 0 || batch.length > MAX_BATCH) {
      const error = new GatewayError('invalid_request', `A batch has 1 to ${MAX_BATCH} entries.`);
      return { status: 200, body: encodeError(null, error) };
    }
    await deps.chargeBatch(context.caller.apiKeyId, batch.length - 1);
    const answers = await Promise.all(batch.map((value) => answerOne(value, context, departure)));
    const parts = answers.filter((answer) => answer !== null);
    return parts.length === 0 ? ACCEPTED : { status: 200, body: joinArray(parts) };
  }

  return {
    answer: (request, caller, value) => {
      const { departure } = request;
      const context = callContextOf(request, caller, 'plain');
      if (Array.isArray(value)) return answerBatch(value, context, departure);
      return whenReady(answerOne(value, context, departure), toRouteResponse);
    },
    refuse: (error) => ({
      status: error.code === 'unreadable_request' ? 400 : 200,
      body: encodeError(null, error),
    }),
  };
}

const ACCEPTED: RouteResponse = { status: 202, body: null };

const toRouteResponse = (body: Encoded | null): RouteResponse =>
  body ? { status: 200, body } : ACCEPTED;
