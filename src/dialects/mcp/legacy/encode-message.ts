import type { RenderedResult } from '../../../calls/render-result.ts';
import { toGatewayError } from '../../../platform/kernel/error.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import { type Encoded, splice } from '../../json-rpc/splice.ts';

const open = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

export const encodeResult = (id: RpcId, result: object): Encoded =>
  splice(open(id), JSON.stringify(result), '}');

export function encodeTools(id: RpcId, tools: Buffer, nextCursor: string | null): Encoded {
  const next = nextCursor === null ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  return splice(`${open(id)}{"tools":`, tools, `${next}}}`);
}

export const encodeCall = (id: RpcId, { members, meta }: RenderedResult): Encoded =>
  splice(`${open(id)}{`, ...members, `,"_meta":{${meta}}}}`);

export function encodeError(id: RpcId, thrown: unknown): Buffer {
  const { row, message, details } = toGatewayError(thrown);
  const data = details.errors ? { data: { errors: details.errors } } : {};
  return Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id, error: { code: row.rpcCode, message, ...data } }),
  );
}
