import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { RequestFacts, RouteResponse, RouteResult } from '../route.ts';

/** One way to speak to `POST /mcp`. */
export interface McpDialect {
  /** Responds to a request whose body has been read. `caller` is narrowed by the address of the request. */
  respond(request: RequestFacts, caller: Caller, body: unknown): Awaitable<RouteResult>;
  /** Responds to a request that cannot be processed as a whole. */
  refuse(error: unknown): RouteResponse;
}

/** The response to messages that have no JSON-RPC response. */
export const ACCEPTED: RouteResponse = { status: 202, body: null };
