import { Type } from 'typebox';
import type { LimitDecision } from '../../access/limits/limit-decision.ts';
import type { CallTool } from '../../calls/call-tool.ts';
import { CallFailure, type CallOutcome } from '../../calls/tool-call.ts';
import { actorCaller } from '../../platform/input/operation.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import type { RpcId } from '../json-rpc/json-rpc.ts';
import { type Encoded, piecesOf, splice } from '../json-rpc/splice.ts';
import { AdminBytes } from './admin-answers.ts';
import { type TenantContext, tenantRoute } from './admin-route.ts';

export interface PlaygroundRoutesDeps {
  readonly callTool: CallTool;
  /** Resolves once the tools that a tenant registered are in the catalog. */
  readonly ready: (tenantId: string) => void | Promise<void>;
  /** Counts a run of this person. */
  readonly countRun: (personId: string) => Awaitable<LimitDecision>;
  /** The JSON-RPC responses that programs get. */
  readonly encode: {
    readonly outcome: (id: RpcId, outcome: CallOutcome) => Encoded;
    readonly error: (id: RpcId, thrown: unknown) => Encoded;
  };
}

/** What audit records say of these calls. */
const DIALECT = 'dashboard';
const CLIENT_NAME = 'Dashboard';
const RPC_ID = 1;

/** `POST /tenants/:tenant/tools/:tool/run`: a person calls a tool, like a program with a key of the tenant. */
export const createPlaygroundRoutes = (deps: PlaygroundRoutesDeps) => ({
  'POST /tenants/:tenant/tools/:tool/run': tenantRoute('viewer', {
    input: {
      tool: Type.String({ maxLength: 200 }),
      arguments: Type.Record(Type.String(), Type.Unknown()),
    },
    handle: async (context, input) => {
      await assertWithinLimit(deps, context);
      await deps.ready(context.tenant.id);
      return run(deps, context, { name: input.tool, arguments: input.arguments });
    },
  }),
});

/** Counts a run of the person. Throws `rate_limited` beyond the limit. */
async function assertWithinLimit(
  { countRun }: Pick<PlaygroundRoutesDeps, 'countRun'>,
  { person }: Pick<TenantContext, 'person'>,
): Promise<void> {
  const { allowed, limit, retryAfterSeconds } = await countRun(person.id);
  if (allowed) return;
  throw new GatewayError(
    'rate_limited',
    `You may run ${limit} tools a minute here. Retry in ${retryAfterSeconds} s.`,
    { details: { retryAfterSeconds } },
  );
}

/**
 * The response of `POST /mcp` to the same call, with what it cost around it. A call that failed is a response too; what is
 * refused before a record is written is an error of this request.
 */
async function run(
  { callTool, encode }: PlaygroundRoutesDeps,
  context: TenantContext,
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
): Promise<AdminBytes> {
  const { request } = context;
  const callContext = callContextOf(request, actorCaller(context), DIALECT, CLIENT_NAME);
  const startedMs = performance.now();
  try {
    const outcome = await callTool({ ...call, cancellation: request.cancellation }, callContext);
    const { upstreamMs, response } = outcome;
    const cost = { upstreamMs, bytes: response.json.length };
    return withCost(startedMs, cost, encode.outcome(RPC_ID, outcome));
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return withCost(startedMs, { upstreamMs: null, bytes: 0 }, encode.error(RPC_ID, error));
  }
}

/** Milliseconds, as many decimals as a person can use. */
const rounded = (ms: number): number => Math.round(ms * 10) / 10;

function withCost(
  startedMs: number,
  cost: { readonly upstreamMs: number | null; readonly bytes: number },
  response: Encoded,
): AdminBytes {
  const upstreamMs = cost.upstreamMs === null ? null : rounded(cost.upstreamMs);
  const durationMs = rounded(performance.now() - startedMs);
  const head = JSON.stringify({ ...cost, upstreamMs, durationMs }).slice(0, -1);
  return new AdminBytes(splice(`${head},"response":`, piecesOf(response), '}'));
}
