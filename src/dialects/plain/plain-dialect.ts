import type { CallTool } from '../../calls/call-tool.ts';
import type { ListTools } from '../../calls/list-tools.ts';
import type { CallContext } from '../../calls/tool-call.ts';
import { GatewayError } from '../../kernel/error.ts';
import { BodyParts, callerOf, type Route, type RouteAnswer, type RouteRequest } from '../route.ts';
import { decodeListParams } from './decode-list-params.ts';
import { decodeCallParams, decodeRequest, type RpcRequest } from './decode-request.ts';
import { MCP_DESCRIPTION } from './describe-mcp.ts';
import { encodeError, encodeOutcome, encodeResult } from './encode-answer.ts';
import { createToolListEncoder } from './encode-tool-list.ts';
import { readJson } from './read-json.ts';

/** A whole JSON-RPC response. */
type Encoded = Buffer | BodyParts;

/** Entries of one batch (contract "JSON-RPC"). */
const MAX_BATCH = 50;

export interface PlainDialectDeps {
  readonly listTools: ListTools;
  readonly callTool: CallTool;
  /** Takes the further entries of a batch off the caller's rate limit; throws `rate_limited`. */
  readonly chargeBatch: (apiKeyId: string, entries: number) => void | Promise<void>;
}

/** `POST /mcp` for callers who speak plain JSON-RPC 2.0 (specification "POST /mcp"). */
export function createPlainDialect(deps: PlainDialectDeps): Route {
  const encodeToolList = createToolListEncoder();

  function listTools(params: unknown, { caller }: CallContext): Buffer {
    return encodeToolList(deps.listTools(caller, decodeListParams(params)));
  }

  /** Runs one method; its answer is a whole JSON-RPC response. */
  function dispatch(request: RpcRequest, context: CallContext): Encoded | Promise<Encoded> {
    const id = request.id ?? null;
    switch (request.method) {
      case 'tools/list':
        return encodeResult(id, listTools(request.params, context));
      case 'tools/call':
        return deps
          .callTool(decodeCallParams(request.params), context)
          .then((outcome) => encodeOutcome(id, outcome));
      default:
        throw new GatewayError(
          'method_not_found',
          `The method ${JSON.stringify(request.method.slice(0, 100))} does not exist; there are tools/list and tools/call.`,
        );
    }
  }

  /** Answers one element; null for a notification, which is run but never answered. */
  async function answerOne(value: unknown, context: CallContext): Promise<Encoded | null> {
    const request = decodeRequest(value);
    if ('error' in request) return encodeError(request.id, request.error);
    try {
      const answer = await dispatch(request, context);
      return request.id === undefined ? null : answer;
    } catch (error) {
      return request.id === undefined ? null : encodeError(request.id, error);
    }
  }

  async function answerBatch(batch: unknown[], context: CallContext): Promise<RouteAnswer> {
    if (batch.length === 0 || batch.length > MAX_BATCH) {
      const error = new GatewayError('invalid_request', `A batch has 1 to ${MAX_BATCH} entries.`);
      return { status: 200, body: encodeError(null, error) };
    }
    await deps.chargeBatch(context.caller.apiKeyId, batch.length - 1);
    const answers = await Promise.all(batch.map((value) => answerOne(value, context)));
    const parts = answers.filter((answer) => answer !== null);
    return parts.length === 0 ? ACCEPTED : { status: 200, body: joinBatch(parts) };
  }

  function handle(request: RouteRequest): RouteAnswer | Promise<RouteAnswer> {
    const context = contextOf(request);
    let value: unknown;
    try {
      value = readJson(request.body ?? NO_BODY);
    } catch (error) {
      const unreadable = error instanceof GatewayError && error.code === 'unreadable_request';
      return { status: unreadable ? 400 : 200, body: encodeError(null, error) };
    }
    return Array.isArray(value)
      ? answerBatch(value, context)
      : answerOne(value, context).then((body) => (body ? { status: 200, body } : ACCEPTED));
  }

  return { ...MCP_DESCRIPTION, handle };
}

const NO_BODY = Buffer.alloc(0);
const ACCEPTED: RouteAnswer = { status: 202, body: null };

function contextOf(request: RouteRequest): CallContext {
  const agent = request.headers['user-agent'];
  return {
    caller: callerOf(request),
    requestId: request.requestId,
    dialect: 'plain',
    clientName: typeof agent === 'string' ? agent.slice(0, 100) : null,
    clientIp: request.clientIp,
  };
}

/** A JSON array of answers that are JSON bytes already. */
function joinBatch(answers: readonly Encoded[]): Buffer {
  const pieces = answers.flatMap((answer, index) => [
    Buffer.from(index === 0 ? '[' : ','),
    ...(answer instanceof BodyParts ? answer.parts : [answer]),
  ]);
  return Buffer.concat([...pieces, Buffer.from(']')]);
}
