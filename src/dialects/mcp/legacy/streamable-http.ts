import { type Awaitable, whenReady } from '../../../platform/kernel/awaitable.ts';
import type { Caller } from '../../../platform/kernel/caller.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import type { CountRefusal } from '../../../platform/kernel/refusal.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import { isRequest } from '../../json-rpc/json-rpc.ts';
import {
  ACCEPTED,
  type BatchHandler,
  type Charge,
  type McpDialect,
  type Methods,
  type Protocol,
  respondTo,
  respondToBatch,
} from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RequestFacts, RouteResult } from '../../route.ts';
import { hasMcpSigns, isInitialize } from '../shared/detect-dialect.ts';
import { createRefuse, encodeError } from '../shared/encode.ts';
import { progressOf, sendResponse, withProgress } from '../shared/progress.ts';
import { legacyRevision } from '../shared/revisions.ts';
import { clientNameOf, decodeLegacyMessage } from './methods.ts';

/** Characters of an unknown revision that the error message repeats. */
const MAX_QUOTED = 50;

/** Streamable HTTP of 2025-03-26 to 2025-11-25. Sessions have no state. */
export function createStreamableHttp(
  methods: Methods,
  charge: Charge,
  refused: CountRefusal,
): McpDialect {
  const protocol: Protocol = { refused, methods, encodeError };
  const refuse = createRefuse(refused);

  function respondToMessage(
    body: unknown,
    request: RequestFacts,
    caller: Caller,
  ): Awaitable<RouteResult> {
    const message = decodeLegacyMessage(body);
    if (message === null || !isRequest(message)) return ACCEPTED;
    const name = message.method === 'initialize' ? clientNameOf(message.params) : undefined;
    const context = callContextOf(request, caller, 'streamable-http', name);
    const progress = progressOf(message);
    const state = progress ? withProgress(request, progress) : request;
    const work = respondTo(protocol, message, context, state);
    if (message.method === 'initialize' && !hasMcpSigns(request)) return withSession(work, request);
    return sendResponse(work, progress, request.headers);
  }

  const batches: BatchHandler = {
    refuse,
    charge,
    respondToEntry: (entry, context, request) => {
      try {
        const message = decodeLegacyMessage(entry);
        if (message === null || !isRequest(message)) return null;
        return respondTo(protocol, message, context, request);
      } catch (error) {
        refused(context.caller, 'invalid_request');
        return encodeError(null, error);
      }
    },
  };

  return {
    respond: (request, caller, body) => {
      const date = request.headers['mcp-protocol-version'];
      const revision = legacyRevision(isInitialize(body) ? undefined : date);
      if (!revision) return refuse(unknownRevision(String(date)), caller);
      if (Array.isArray(body)) {
        if (revision.batches) {
          const context = callContextOf(request, caller, 'streamable-http');
          return respondToBatch(batches, body, context, request);
        }
        const message = `MCP ${revision.date} does not support batches.`;
        return refuse(new GatewayError('invalid_request', message), caller);
      }
      try {
        return respondToMessage(body, request, caller);
      } catch (error) {
        return refuse(error, caller);
      }
    },
    refuse,
  };
}

/**
 * The result of `initialize` for a client whose headers do not show that it speaks MCP. The session id, which it repeats
 * with every request, does: nothing is kept of a session, so the id of the request will do.
 */
const withSession = (
  work: Awaitable<Encoded>,
  { requestId }: RequestFacts,
): Awaitable<RouteResult> =>
  whenReady(work, (body) => ({ status: 200, headers: { 'mcp-session-id': requestId }, body }));

const unknownRevision = (revision: string): GatewayError =>
  new GatewayError(
    'invalid_request',
    `Unknown MCP-Protocol-Version ${JSON.stringify(revision.slice(0, MAX_QUOTED))}. Send initialize first; its result names a version that both sides support.`,
  );
