import { toGatewayError } from '../../../platform/kernel/error.ts';
import { encodeRpcError } from '../../json-rpc/encode.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import type { RouteResponse } from '../../route.ts';

/** The response to a request that failed. Failed calls are results instead. */
export function encodeError(id: RpcId, thrown: unknown): Buffer {
  const { row, message, details } = toGatewayError(thrown);
  const data = details.errors ? { data: { errors: details.errors } } : {};
  return encodeRpcError(id, { code: row.rpcCode, message, ...data });
}

export const refuse = (thrown: unknown): RouteResponse => ({
  status: 400,
  body: encodeError(null, thrown),
});
