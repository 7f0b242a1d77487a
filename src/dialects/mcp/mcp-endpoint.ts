import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Charge } from '../json-rpc/batch.ts';
import type { McpDialect, McpResponse } from '../json-rpc/dialect.ts';
import { type AddressNames, narrowCaller } from '../json-rpc/narrow-caller.ts';
import { reserveForParsing } from '../json-rpc/parse-memory.ts';
import { readJson } from '../json-rpc/read-json.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import { MCP_DESCRIPTION } from './describe-mcp.ts';
import { type DialectName, detectDialect, hasMcpSigns } from './shared/detect-dialect.ts';
import { resultStyleOf } from './shared/result-style.ts';

export interface McpEndpointDeps extends AddressNames {
  readonly dialects: Readonly<Record<DialectName, McpDialect>>;
  readonly charge: Charge;
}

/** Bytes of a body that count as one request. Parsing a large body takes time from every other tenant. */
const BYTES_PER_REQUEST = 65_536;

const NO_BODY = Buffer.alloc(0);

/** `POST /mcp`: detects the dialect of the client and lets it respond (docs/mcp.md). */
export function createMcpEndpoint({ dialects, charge, ...names }: McpEndpointDeps): Route {
  function respond(request: RouteRequest): Awaitable<McpResponse> {
    reserveForParsing(request);
    let body: unknown;
    try {
      body = readJson(request.body ?? NO_BODY);
    } catch (error) {
      return dialects[detectDialect(request, undefined)].refuse(error);
    }
    const dialect = dialects[detectDialect(request, body)];
    let caller = callerOf(request);
    try {
      caller = narrowCaller(caller, request.query, names);
      resultStyleOf(request.query, caller);
    } catch (error) {
      return { ...dialect.refuse(error), status: 400 };
    }
    return dialect.respond(request, caller, body);
  }

  async function chargeAndRespond(request: RouteRequest, bytes: number): Promise<McpResponse> {
    await charge(callerOf(request), Math.ceil(bytes / BYTES_PER_REQUEST) - 1);
    return respond(request);
  }

  function handle(request: RouteRequest): Awaitable<McpResponse> {
    const bytes = request.body?.length ?? 0;
    return bytes > BYTES_PER_REQUEST ? chargeAndRespond(request, bytes) : respond(request);
  }

  return { ...MCP_DESCRIPTION, reportsRateLimit: hasMcpSigns, handle };
}
