import { encodeUpstream } from '../../calls/encode-upstream.ts';
import { CallFailure, type CallOutcome } from '../../calls/tool-call.ts';
import { type GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { RpcId } from '../json-rpc/json-rpc.ts';
import { type Encoded, splice } from '../json-rpc/splice.ts';

/** The opening of every answer up to the value of `result`. */
const open = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

/** An answer around a result that is JSON bytes already. */
export function encodeResult(id: RpcId, result: Buffer): Encoded {
  return splice(open(id), result, '}');
}

/** The result of `tools/call` (docs/contract.md#call-result), the payload spliced in untouched. */
export function encodeOutcome(id: RpcId, outcome: CallOutcome): Encoded {
  const { publicData, json } = outcome.response;
  const head = `${open(id)}{"tool":${JSON.stringify(outcome.entry.tool.name)},"upstream":${encodeUpstream(outcome)},"data":`;
  const said = publicData ? `,"publicData":${JSON.stringify(publicData)}` : '';
  const rows = outcome.shownRows ? `,"rows":${JSON.stringify(outcome.shownRows)}` : '';
  const tail = `${said}${rows},"cacheStatus":"${outcome.cacheStatus}","auditId":"${outcome.auditId}"}}`;
  return splice(head, json, tail);
}

/** Any failure in the words of JSON-RPC (docs/contract.md#errors). */
export function encodeError(id: RpcId, thrown: unknown): Buffer {
  const failure = thrown instanceof CallFailure ? thrown : null;
  const error = toGatewayError(failure ? failure.error : thrown);
  const data = errorData(error, failure);
  return Buffer.from(
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      error: { code: error.row.rpcCode, message: error.message, ...(data ? { data } : {}) },
    }),
  );
}

function errorData(error: GatewayError, failure: CallFailure | null): object | null {
  const { reason, retryable, rpcCode } = error.row;
  const recorded = failure ? { auditId: failure.auditId, tool: failure.tool } : {};
  if (rpcCode === -32000) return { ...recorded, reason, retryable, ...error.details };
  if (failure || error.details.errors) return { ...recorded, ...error.details };
  return null;
}
