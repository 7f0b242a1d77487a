import type { Caller } from '../../../access/keys/caller.ts';
import type { CallContext } from '../../../calls/tool-call.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { type Charge, respondToBatch } from '../../json-rpc/batch.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import { ACCEPTED, type McpDialect } from '../../json-rpc/dialect.ts';
import { isRequest, type RpcRequest } from '../../json-rpc/json-rpc.ts';
import {
  type Methods,
  type Protocol,
  type RequestState,
  respondTo,
} from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RequestFacts, RouteResult } from '../../route.ts';
import type { DialectName } from '../shared/detect-dialect.ts';
import { encodeError, refuse } from '../shared/encode.ts';
import { sendResponse } from '../shared/progress.ts';
import { clientNameOf, decodeLegacyMessage } from './decode.ts';
import { DEFAULT_REVISION, isRevision } from './initialize.ts';

const DIALECT: DialectName = 'streamable-http';

/** The only revision whose servers must accept batches. */
const BATCH_REVISION = '2025-03-26';

/** Characters of an unknown revision that the error message repeats. */
const MAX_QUOTED = 50;

export interface StreamableHttpDeps {
  readonly methods: Methods;
  readonly charge: Charge;
}

/** Streamable HTTP of 2025-03-26 to 2025-11-25, without sessions. */
export function createStreamableHttp({ methods, charge }: StreamableHttpDeps): McpDialect {
  const protocol: Protocol = { methods, encodeError };

  function respondToRequest(
    message: RpcRequest,
    request: RequestFacts,
    caller: Caller,
  ): Awaitable<RouteResult> {
    const name = message.method === 'initialize' ? clientNameOf(message.params) : undefined;
    const context = callContextOf(request, caller, DIALECT, name);
    return sendResponse(respondTo(protocol, message, context, request), message, request.headers);
  }

  function respondToEntry(
    entry: unknown,
    context: CallContext,
    request: RequestState,
  ): Awaitable<Encoded | null> {
    try {
      const message = decodeLegacyMessage(entry);
      if (message === null || !isRequest(message)) return null;
      return respondTo(protocol, message, context, request);
    } catch (error) {
      return encodeError(null, error);
    }
  }

  const batches = { refuse, charge, respondToEntry };

  return {
    respond: (request, caller, body) => {
      const revision = request.headers['mcp-protocol-version'] ?? DEFAULT_REVISION;
      if (typeof revision !== 'string' || !isRevision(revision)) {
        return refuse(unknownRevision(String(revision)));
      }
      if (Array.isArray(body)) {
        return revision === BATCH_REVISION
          ? respondToBatch(batches, body, callContextOf(request, caller, DIALECT), request)
          : refuse(
              new GatewayError('invalid_request', `MCP ${revision} does not support batches.`),
            );
      }
      try {
        const message = decodeLegacyMessage(body);
        if (message === null || !isRequest(message)) return ACCEPTED;
        return respondToRequest(message, request, caller);
      } catch (error) {
        return refuse(error);
      }
    },
    refuse,
  };
}

const unknownRevision = (revision: string): GatewayError =>
  new GatewayError(
    'invalid_request',
    `Unknown MCP-Protocol-Version ${JSON.stringify(revision.slice(0, MAX_QUOTED))}. Send initialize first; its result names a version that both sides support.`,
  );
