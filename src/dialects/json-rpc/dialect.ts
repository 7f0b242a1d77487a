import type { Caller } from '../../access/keys/caller.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { RequestFacts, RouteResponse, RouteStream } from '../route.ts';
import type { Encoded } from './splice.ts';

export type McpResponse = RouteResponse | RouteStream;

/** One way to speak to `POST /mcp`. */
export interface McpDialect {
  /** Responds to a request whose body has been read. `caller` is narrowed by the address of the request. */
  respond(request: RequestFacts, caller: Caller, body: unknown): Awaitable<McpResponse>;
  /** Responds to a request that cannot be processed as a whole. */
  refuse(error: unknown): RouteResponse;
}

/** The response to messages that have no JSON-RPC response. */
export const ACCEPTED: RouteResponse = { status: 202, body: null };

/** The HTTP response for a JSON-RPC response; null for a message that has none. */
export const toRouteResponse = (body: Encoded | null): RouteResponse =>
  body ? { status: 200, body } : ACCEPTED;
