import type { CallContext, ToolCall } from '../../calls/tool-call.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { Cancellation } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CountRefusal } from '../../platform/kernel/refusal.ts';
import type { RequestFacts, RouteResponse, RouteResult } from '../route.ts';
import type { RpcId, RpcRequest } from './json-rpc.ts';
import { type Encoded, joinArray } from './splice.ts';

/** What a method may know of the request beyond the caller. */
export interface RequestState {
  /** When the client disconnects or cancels; undefined if the call must not be interrupted. */
  readonly cancellation: (() => Cancellation) | undefined;
  /** Of the address to which the request was sent. */
  readonly query: RequestFacts['query'];
  /** Absent where a session, and not a request, says what the client knows. */
  readonly headers?: RequestFacts['headers'];
  /** Set when the rate limit of the caller is used up. */
  readonly limited: GatewayError | null;
  /** Told how far the call has come; absent unless the client wants to know. */
  readonly onProgress?: ToolCall['onProgress'];
}

/** Runs one method; the result is the whole JSON-RPC response. May throw. */
export type Method<R = Awaitable<Encoded>> = (
  message: RpcRequest,
  context: CallContext,
  request: RequestState,
) => R;

export type Methods<R = Awaitable<Encoded>> = ReadonlyMap<string, Method<R>>;

/** The one method that reports a used-up rate limit itself, as a result that a model can read. */
export const TOOLS_CALL = 'tools/call';

/** Characters of an unknown method that the error message repeats. */
const MAX_QUOTED = 100;

/** Runs the method that a message names. Throws what the method throws, `method_not_found` and `rate_limited`. */
export function runMethod<R>(
  methods: Methods<R>,
  message: RpcRequest,
  context: CallContext,
  request: RequestState,
): R {
  if (request.limited && message.method !== TOOLS_CALL) throw request.limited;
  const method = methods.get(message.method);
  if (method) return method(message, context, request);
  const name = JSON.stringify(message.method.slice(0, MAX_QUOTED));
  const available = [...methods.keys()].join(', ');
  throw new GatewayError('method_not_found', `Unknown method ${name}. Available: ${available}.`);
}

/** How a dialect responds to a request: its methods, its form of an error, and what counts calls that it cannot decode. */
export interface Protocol {
  readonly refused: CountRefusal;
  readonly methods: Methods;
  readonly encodeError: (id: RpcId, thrown: unknown) => Buffer;
}

/** Responds to a request, with a result or an error. Never throws or rejects. */
export function respondTo(
  { refused, methods, encodeError }: Protocol,
  message: RpcRequest,
  context: CallContext,
  request: RequestState,
): Awaitable<Encoded> {
  const fail = (error: unknown): Encoded => encodeError(message.id, error);
  try {
    const response = runMethod(methods, message, context, request);
    return response instanceof Promise ? response.catch(fail) : response;
  } catch (error) {
    if (message.method === TOOLS_CALL) refused(context.caller, 'invalid_request');
    return fail(error);
  }
}

/** Entries of one batch (docs/contract.md#messages). */
const MAX_BATCH = 50;

/** Deducts further requests from the limits of a caller. Throws `rate_limited`. */
export type Charge = (caller: Caller, requests: number) => Awaitable<void>;

/** How a dialect processes a batch. */
export interface BatchHandler extends Pick<McpDialect, 'refuse'> {
  readonly charge: Charge;
  /** Responds to one entry; null for a notification. Never throws or rejects. */
  readonly respondToEntry: (
    entry: unknown,
    context: CallContext,
    request: RequestState,
  ) => Awaitable<Encoded | null>;
}

/** Runs all entries of a batch and joins their responses. Rejects with `rate_limited`. */
export async function respondToBatch(
  { refuse, charge, respondToEntry }: BatchHandler,
  batch: readonly unknown[],
  context: CallContext,
  request: RequestState,
): Promise<RouteResult> {
  if (batch.length === 0 || batch.length > MAX_BATCH) {
    const message = `A batch must have 1 to ${MAX_BATCH} entries.`;
    return refuse(new GatewayError('invalid_request', message), context.caller);
  }
  if (!request.limited) await charge(context.caller, batch.length - 1);
  const responding = batch.map((entry) => respondToEntry(entry, context, request));
  const responses = await Promise.all(responding);
  const present = responses.filter((response) => response !== null);
  return present.length === 0 ? ACCEPTED : joinArray(present);
}

/** One way to speak to `POST /mcp`. */
export interface McpDialect {
  /** Responds to a request whose body has been read. `caller` is narrowed by the address of the request. */
  respond(request: RequestFacts, caller: Caller, body: unknown): Awaitable<RouteResult>;
  /** Responds to a request that cannot be processed as a whole, and counts it. */
  refuse(error: unknown, caller: Caller): RouteResponse;
}

/** The response to messages that have no JSON-RPC response. */
export const ACCEPTED: RouteResponse = { status: 202, body: null };
