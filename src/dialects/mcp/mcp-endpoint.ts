import { overBudget, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import { toGatewayError } from '../../platform/kernel/error.ts';
import type { McpDialect, McpResponse } from '../json-rpc/mcp-dialect.ts';
import { narrowCaller } from '../json-rpc/narrow-caller.ts';
import { readJson } from '../json-rpc/read-json.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import { MCP_DESCRIPTION } from './describe-mcp.ts';
import { type DialectName, detectDialect, hasMcpSigns } from './shared/detect-dialect.ts';

export interface McpEndpointDeps {
  readonly dialects: Readonly<Record<DialectName, McpDialect>>;
  readonly categories: readonly string[];
  /** Takes points off the caller's rate limit; throws `rate_limited`. */
  readonly charge: (apiKeyId: string, points: number) => void | Promise<void>;
}

/** Each further part of a body that has begun costs its caller as much as a request. */
const BYTES_PER_POINT = 65_536;

const NO_BODY = Buffer.alloc(0);

/** What a body takes in memory once it is read, at the most, for each of its bytes: text, objects, arrays. */
const PARSED_BYTES_A_BYTE = 8;

/** `POST /mcp`: finds out how the client speaks, and lets that dialect answer (docs/mcp.md). */
export function createMcpEndpoint({ dialects, categories, charge }: McpEndpointDeps): Route {
  function answer(request: RouteRequest): McpResponse | Promise<McpResponse> {
    if (!hasRoomFor(request)) throw overBudget();
    let body: unknown;
    try {
      body = readJson(request.body ?? NO_BODY);
    } catch (error) {
      return dialects[detectDialect(request, undefined)].refuse(toGatewayError(error));
    }
    const dialect = detectDialect(request, body);
    let caller = callerOf(request);
    try {
      caller = narrowCaller(caller, request.query, categories);
    } catch (error) {
      return { ...dialects[dialect].refuse(toGatewayError(error)), status: 400 };
    }
    return dialects[dialect].answer(request, caller, body);
  }

  /** Reading a large body takes time from every other tenant. */
  async function answerLarge(request: RouteRequest, bytes: number): Promise<McpResponse> {
    await charge(callerOf(request).apiKeyId, Math.ceil(bytes / BYTES_PER_POINT) - 1);
    return answer(request);
  }

  function handle(request: RouteRequest): McpResponse | Promise<McpResponse> {
    const bytes = request.body?.length ?? 0;
    return bytes > BYTES_PER_POINT ? answerLarge(request, bytes) : answer(request);
  }

  return { ...MCP_DESCRIPTION, answersLimit: hasMcpSigns, handle };
}

/** Whether there is memory to read a large body; a small one is not counted. */
const hasRoomFor = ({ body, lease }: RouteRequest): boolean =>
  body === null || body.length <= SMALL_BYTES || lease().take(PARSED_BYTES_A_BYTE * body.length);
