import { encodeResult } from '../../calls/encode-result.ts';
import { CallFailure, type CallOutcome } from '../../calls/tool-call.ts';
import { toGatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { type EncodeEntries, encodeOnce } from '../json-rpc/encode-once.ts';
import { encodeArray, encodeMembers, encodeRpcError, type RpcId } from '../json-rpc/json-rpc.ts';
import type { Encoded } from '../json-rpc/splice.ts';

export const encodeTools = (id: RpcId, tools: readonly Buffer[]): Encoded =>
  encodeArray(id, 'tools', tools, '');

export const createToolListEncoder = (): EncodeEntries => encodeOnce(toListedTool);

/** Clients that search tools load the gateway's own at once. */
const ALWAYS_LOAD = { _meta: { 'anthropic/alwaysLoad': true } };

/** A tool as listed by `tools/list` (docs/contract.md#list-tools). */
function toListedTool({ tool, description, source }: CatalogEntry): object {
  const { readOnlyHint, destructiveHint, openWorldHint } = tool.annotations;
  return {
    name: tool.name,
    description,
    inputSchema: tool.inputSchema,
    annotations: { readOnlyHint, destructiveHint, openWorldHint },
    ...(source === 'gateway' ? ALWAYS_LOAD : {}),
  };
}

/** The response to `tools/call` (docs/contract.md#call-result), with the bytes of the payload unchanged. */
export function encodeOutcome(id: RpcId, outcome: CallOutcome): Encoded {
  return encodeMembers(id, encodeResult(outcome), '');
}

/** The response to any request that failed (docs/contract.md#errors). */
export function encodeError(id: RpcId, thrown: unknown): Buffer {
  const failure = thrown instanceof CallFailure ? thrown : null;
  const { row, message, details } = toGatewayError(failure ? failure.error : thrown);
  const { rpcCode: code, reason, retryable } = row;
  const recorded = failure ? { auditId: failure.auditId, tool: failure.tool } : {};
  if (code === -32000) {
    const data = { ...recorded, reason, retryable, ...details };
    return encodeRpcError(id, { code, message, data });
  }
  const hasData = failure !== null || details.errors !== undefined;
  return encodeRpcError(id, {
    code,
    message,
    ...(hasData ? { data: { ...recorded, ...details } } : {}),
  });
}
