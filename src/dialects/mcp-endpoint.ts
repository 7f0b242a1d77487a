import { toGatewayError } from '../kernel/error.ts';
import { MCP_DESCRIPTION } from './describe-mcp.ts';
import { type Era, eraOf, hasMcpSigns } from './era.ts';
import type { McpAnswer, McpDialect } from './mcp-dialect.ts';
import { narrowCaller } from './narrow-caller.ts';
import { readJson } from './read-json.ts';
import { callerOf, type Route, type RouteRequest } from './route.ts';

export interface McpEndpointDeps {
  readonly dialects: Readonly<Record<Era, McpDialect>>;
  readonly categories: readonly string[];
}

const NO_BODY = Buffer.alloc(0);

/** `POST /mcp`: finds out how the client speaks, and lets that dialect answer (docs/mcp.md). */
export function createMcpEndpoint({ dialects, categories }: McpEndpointDeps): Route {
  function handle(request: RouteRequest): McpAnswer | Promise<McpAnswer> {
    let body: unknown;
    try {
      body = readJson(request.body ?? NO_BODY);
    } catch (error) {
      return dialects[eraOf(request, undefined)].refuse(toGatewayError(error));
    }
    const era = eraOf(request, body);
    let caller = callerOf(request);
    try {
      caller = narrowCaller(caller, request.query, categories);
    } catch (error) {
      return { ...dialects[era].refuse(toGatewayError(error)), status: 400 };
    }
    return dialects[era].answer(request, caller, body);
  }
  return { ...MCP_DESCRIPTION, answersLimit: hasMcpSigns, handle };
}
