import type { CallTool } from '../../../calls/call-tool.ts';
import type { ListTools } from '../../../calls/list-tools.ts';
import { renderFailure, renderOutcome } from '../../../calls/render-result.ts';
import type { CallContext } from '../../../calls/tool-call.ts';
import type { Departure } from '../../../platform/kernel/departure.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { decodeCallParams, type RpcId } from '../../json-rpc/json-rpc.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import { pageOfTools } from '../../json-rpc/tool-pages.ts';
import { encodeCall, encodeError, encodeResult, encodeTools } from './encode-message.ts';
import { createToolsEncoder } from './encode-tools.ts';
import { initialize } from './initialize.ts';

export interface LegacyDeps {
  readonly listTools: ListTools;
  readonly callTool: CallTool;
  /** Data of a result that goes into its text, in bytes. */
  readonly maxContentBytes: number;
}

/** A request of a client that began with `initialize`. */
export interface LegacyRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** What the transport knows of the request. */
export interface LegacyExchange {
  readonly context: CallContext;
  /** Whether the client can be told that the list of tools has changed. */
  readonly announcesChanges: boolean;
  /** When the client goes away or cancels. */
  readonly departure: () => Departure;
  /** The rate limit is used up. */
  readonly limited: GatewayError | null;
}

export type AnswerLegacyRequest = (
  request: LegacyRequest,
  exchange: LegacyExchange,
) => Promise<Encoded>;

/** The methods of the revisions from 2024-11-05 to 2025-11-25; always resolves, with a whole JSON-RPC response. */
export function createLegacyMethods(deps: LegacyDeps): AnswerLegacyRequest {
  const encodeToolList = createToolsEncoder();

  function listTools({ id, params }: LegacyRequest, { context }: LegacyExchange): Encoded {
    const { entries, nextCursor } = pageOfTools(deps.listTools(context.caller), params);
    return encodeTools(id, encodeToolList(entries), nextCursor);
  }

  function callTool(
    { id, params }: LegacyRequest,
    { context, departure, limited }: LegacyExchange,
  ): Encoded | Promise<Encoded> {
    const call = decodeCallParams(params);
    if (limited) return encodeCall(id, renderFailure(call.name, limited));
    return deps.callTool({ ...call, departure }, context).then(
      (outcome) => encodeCall(id, renderOutcome(outcome, deps.maxContentBytes)),
      (error) => encodeCall(id, renderFailure(call.name, error)),
    );
  }

  function dispatch(request: LegacyRequest, exchange: LegacyExchange): Encoded | Promise<Encoded> {
    if (request.method === 'tools/call') return callTool(request, exchange);
    if (exchange.limited) throw exchange.limited;
    switch (request.method) {
      case 'initialize':
        return encodeResult(request.id, initialize(request.params, exchange.announcesChanges));
      case 'ping':
        return encodeResult(request.id, {});
      case 'tools/list':
        return listTools(request, exchange);
      default:
        throw new GatewayError(
          'method_not_found',
          `The method ${JSON.stringify(request.method.slice(0, 100))} does not exist here; this server has tools only.`,
        );
    }
  }

  return async (request, exchange) => {
    try {
      return await dispatch(request, exchange);
    } catch (error) {
      return encodeError(request.id, error);
    }
  };
}
