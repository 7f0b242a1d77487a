import { sendAdmin } from '../api/call-admin.ts';
import { countTokens } from './count-tokens.ts';
import type { Arguments } from './form-values.ts';

/** What a run cost. */
export interface RunCost {
  /** Milliseconds in the gateway, the upstream's time included. */
  readonly durationMs: number;
  /** Milliseconds of the upstream request; null if none was sent for this run. */
  readonly upstreamMs: number | null;
  /** Of the data. */
  readonly bytes: number;
  /** An estimate of what the whole response costs a model. */
  readonly tokens: number;
}

/** The result of a call (docs/contract.md#call-result). */
export interface RpcResult {
  readonly upstream: { readonly method: string; readonly url: string; readonly status: number };
  readonly data: unknown;
  readonly publicData?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly cacheStatus: string;
  readonly auditId: string;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: {
    readonly auditId?: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
  };
}

/** What a run came to. */
export interface Run {
  readonly arguments: Arguments;
  readonly cost: RunCost;
  /** The JSON-RPC response, byte for byte as programs get it. */
  readonly text: string;
  readonly result: RpcResult | null;
  readonly error: RpcError | null;
}

/** Runs a tool as the person who is signed in. Throws an AdminError if nothing was run. */
export async function runTool(
  { tenant, tool, args }: { tenant: string; tool: string; args: Arguments },
  signal: AbortSignal,
): Promise<Run> {
  const input = { tenant, tool, arguments: args };
  const response = await sendAdmin('POST /tenants/:tenant/tools/:tool/run', input, { signal });
  return readRun(args, await response.text());
}

const RESPONSE = '"response":';

/** The response to `run` is the JSON-RPC response with what it cost around it. */
export function readRun(args: Arguments, body: string): Run {
  const { response, ...cost } = JSON.parse(body);
  const text = body.slice(body.indexOf(RESPONSE) + RESPONSE.length, -1);
  return {
    arguments: args,
    cost: { ...cost, tokens: countTokens(text) },
    text,
    result: response.result ?? null,
    error: response.error ?? null,
  };
}
