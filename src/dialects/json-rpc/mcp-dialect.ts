import type { Caller } from '../../access/keys/caller.ts';
import type { GatewayError } from '../../platform/kernel/error.ts';
import type { RouteAnswer, RouteRequest, RouteStream } from '../route.ts';

export type McpAnswer = RouteAnswer | RouteStream;

/** One way to speak to `POST /mcp`. */
export interface McpDialect {
  /** Answers a POST whose body has been read. `caller` is the request's, narrowed by the address. */
  answer(request: RouteRequest, caller: Caller, body: unknown): McpAnswer | Promise<McpAnswer>;
  /** Answers one whose body cannot be read. */
  refuse(error: GatewayError): RouteAnswer;
}
