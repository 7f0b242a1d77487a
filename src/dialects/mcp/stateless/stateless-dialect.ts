import type { Caller } from '../../../access/keys/caller.ts';
import type { CallTool } from '../../../calls/call-tool.ts';
import type { ListTools } from '../../../calls/list-tools.ts';
import { renderFailure, renderOutcome } from '../../../calls/render-result.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { answerWithProgress, progressTokenOf } from '../../json-rpc/answer-with-progress.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import { decodeCallParams, decodeRequest } from '../../json-rpc/json-rpc.ts';
import type { McpDialect, McpResponse } from '../../json-rpc/mcp-dialect.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import { pageOfTools } from '../../json-rpc/tool-pages.ts';
import type { RequestFacts, RouteResponse } from '../../route.ts';
import { acceptsEvents } from '../shared/detect-dialect.ts';
import { clientNameOf, faultOf, type StatelessRequest } from './check-request.ts';
import {
  createToolsEncoder,
  encodeCall,
  encodeDiscovery,
  encodeError,
  encodeFault,
  encodeTools,
} from './encode-message.ts';
import { type ListenDeps, listen } from './listen.ts';

export interface StatelessDeps extends ListenDeps {
  readonly listTools: ListTools;
  readonly callTool: CallTool;
  /** Data of a result that goes into its text, in bytes. */
  readonly maxContentBytes: number;
}

const ACCEPTED: RouteResponse = { status: 202, body: null };

/** MCP 2026-07-28: every request stands alone. */
export function createStatelessDialect(deps: StatelessDeps): McpDialect {
  const encodeToolList = createToolsEncoder();

  function listTools({ id, params }: StatelessRequest, caller: Caller): Encoded {
    const { entries, nextCursor } = pageOfTools(deps.listTools(caller), params);
    return encodeTools(id, encodeToolList(entries), nextCursor);
  }

  /** Never rejects. */
  function callTool(
    { id, params }: StatelessRequest,
    request: RequestFacts,
    caller: Caller,
  ): Promise<Encoded> {
    const fail = (error: unknown) => encodeError(id, error);
    try {
      const call = decodeCallParams(params);
      if (request.limited) {
        return Promise.resolve(encodeCall(id, renderFailure(call.name, request.limited)));
      }
      const context = callContextOf(request, caller, 'stateless', clientNameOf(params));
      return deps
        .callTool({ ...call, departure: request.departure }, context)
        .then(
          (outcome) => encodeCall(id, renderOutcome(outcome, deps.maxContentBytes)),
          (error) => encodeCall(id, renderFailure(call.name, error)),
        )
        .catch(fail);
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  }

  function dispatch(
    message: StatelessRequest,
    request: RequestFacts,
    caller: Caller,
  ): McpResponse | Promise<McpResponse> {
    if (message.method === 'tools/call') {
      const work = callTool(message, request, caller);
      const token = progressTokenOf(message.params);
      return token !== undefined && acceptsEvents(request.headers)
        ? answerWithProgress(work, token)
        : work.then((body) => ({ status: 200, body }));
    }
    if (request.limited) throw request.limited;
    switch (message.method) {
      case 'server/discover':
        return { status: 200, body: encodeDiscovery(message.id) };
      case 'tools/list':
        return { status: 200, body: listTools(message, caller) };
      case 'subscriptions/listen':
        return listen(message, caller, request.lease, deps);
      default:
        return { status: 404, body: encodeError(message.id, unknownMethod(message.method)) };
    }
  }

  return {
    answer: (request, caller, body) => {
      const message = decodeRequest(body);
      if ('error' in message) return refuse(message.error);
      const { id, method, params } = message;
      if (id === undefined) return ACCEPTED;
      if (id === null) {
        return refuse(new GatewayError('invalid_request', 'The id of a request is not null.'));
      }
      const stateless = { id, method, params };
      const fault = faultOf(stateless, request.headers);
      if (fault) return { status: 400, body: encodeFault(id, fault) };
      try {
        return dispatch(stateless, request, caller);
      } catch (error) {
        // A stream that may not be opened is told of by its status: there is no answer to wait for.
        if (isRefusedStream(method, error)) throw error;
        return { status: 200, body: encodeError(id, error) };
      }
    },
    refuse,
  };
}

const refuse = (error: unknown): RouteResponse => ({ status: 400, body: encodeError(null, error) });

const isRefusedStream = (method: string, error: unknown): boolean =>
  method === 'subscriptions/listen' &&
  error instanceof GatewayError &&
  error.code === 'rate_limited';

const unknownMethod = (method: string): GatewayError =>
  new GatewayError(
    'method_not_found',
    `The method ${JSON.stringify(method.slice(0, 100))} does not exist; there are server/discover, tools/list, tools/call and subscriptions/listen.`,
  );
