import type { Caller } from '../../access/keys/caller.ts';
import type { GatewayError } from '../../platform/kernel/error.ts';
import type { RequestFacts, RouteResponse, RouteStream } from '../route.ts';

export type McpResponse = RouteResponse | RouteStream;

/** One way to speak to `POST /mcp`. */
export interface McpDialect {
  /** Answers a POST whose body has been read. `caller` is the request's, narrowed by the address. */
  answer(request: RequestFacts, caller: Caller, body: unknown): McpResponse | Promise<McpResponse>;
  /** Answers one whose body cannot be read. */
  refuse(error: GatewayError): RouteResponse;
}
