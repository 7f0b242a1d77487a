import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { type GatewayToolName, isGatewayToolName } from '../gateway-tools/gateway-tools.ts';
import { type Charge, type McpDialect, TOOLS_CALL } from '../json-rpc/methods.ts';
import { type AddressNames, narrowCaller } from '../json-rpc/narrow-caller.ts';
import { readJson, reserveForParsing } from '../json-rpc/read-json.ts';
import { callerOf, type Route, type RouteRequest, type RouteResult } from '../route.ts';
import { MCP_DESCRIPTION } from './describe-mcp.ts';
import { type DialectName, detectDialect, hasMcpSigns } from './shared/detect-dialect.ts';
import { resultStyleOf, schemaFormOf } from './shared/encode.ts';

export interface McpEndpointDeps extends AddressNames {
  readonly dialects: Readonly<Record<DialectName, McpDialect>>;
  readonly charge: Charge;
  /** Whether the tools that the caller's tenant registered are loaded. */
  readonly isReady: (caller: Caller) => boolean;
  /**
   * Resolves once they are, or at once if the tenant gave none of the names to one. Rejects with `overloaded` or `unavailable`.
   */
  readonly ready: (caller: Caller, names: () => readonly string[] | undefined) => Awaitable<void>;
  /** Whether a preset has a tool of this name. */
  readonly isSharedName: (name: string) => boolean;
}

/** Bytes of a body that count as one request. Parsing a large body takes time from every other tenant. */
const BYTES_PER_REQUEST = 65_536;

const NO_BODY = Buffer.alloc(0);

/** `POST /mcp`: detects the dialect of the client and lets it respond (docs/mcp.md). */
export function createMcpEndpoint(deps: McpEndpointDeps): Route {
  const { dialects, charge, isReady, ready, ...names } = deps;

  function respond(request: RouteRequest): Awaitable<RouteResult> {
    reserveForParsing(request);
    const caller = callerOf(request);
    let body: unknown;
    try {
      body = readJson(request.body ?? NO_BODY);
    } catch (error) {
      return dialects[detectDialect(request, undefined)].refuse(error, caller);
    }
    if (isReady(caller)) return respondTo(request, body);
    const loaded = ready(caller, () => namesNeeded(deps, request, body));
    return whenReady(loaded, () => respondTo(request, body));
  }

  function respondTo(request: RouteRequest, body: unknown): Awaitable<RouteResult> {
    const dialect = dialects[detectDialect(request, body)];
    let caller = callerOf(request);
    try {
      caller = narrowCaller(caller, request.query, names);
      resultStyleOf(request.query, caller);
      schemaFormOf(request.query);
    } catch (error) {
      return { ...dialect.refuse(error, caller), status: 400 };
    }
    return dialect.respond(request, caller, body);
  }

  function handle(request: RouteRequest): Awaitable<RouteResult> {
    const bytes = request.body?.length ?? 0;
    if (bytes <= BYTES_PER_REQUEST) return respond(request);
    const charged = charge(callerOf(request), Math.ceil(bytes / BYTES_PER_REQUEST) - 1);
    return whenReady(charged, () => respond(request));
  }

  return { ...MCP_DESCRIPTION, needsNoTools: true, reportsRateLimit: hasMcpSigns, handle };
}

/** The tools that a request needs by name: all those that it calls are shared. Undefined if it may need others. */
function namesNeeded(
  { isSharedName, categoriesOf }: McpEndpointDeps,
  request: RouteRequest,
  body: unknown,
): readonly string[] | undefined {
  const { category } = request.query;
  if (category !== undefined && !categoriesOf(callerOf(request)).includes(String(category))) {
    return undefined;
  }
  const names: string[] = [];
  for (const message of Array.isArray(body) ? body : [body]) {
    const called = namesIn(message);
    if (!called?.every((name) => isSharedName(name) || isGatewayToolName(name))) return undefined;
    names.push(...called);
  }
  return names;
}

/** The names of tools that a message calls; undefined if it asks for more. */
function namesIn(message: unknown): readonly string[] | undefined {
  if (!isObject(message)) return undefined;
  const { method, params } = message;
  if (typeof method === 'string' && WITHOUT_TOOLS.has(method)) return [];
  if (method !== TOOLS_CALL || !isObject(params)) return undefined;
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || SEARCHING.has(name)) return undefined;
  if (name !== CALLING) return [name];
  const inner = isObject(args) ? args['name'] : undefined;
  return typeof inner === 'string' ? [name, inner] : undefined;
}

const WITHOUT_TOOLS: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'ping',
  'server/discover',
]);

/** The gateway's own tools that search the others, and the tool that calls them. */
const SEARCHING: ReadonlySet<string> = new Set<GatewayToolName>(['find_tools', 'describe_tools']);
const CALLING: GatewayToolName = 'call_tool';
