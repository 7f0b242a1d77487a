import type { RpcError, RpcId } from './json-rpc.ts';
import { type Encoded, splice } from './splice.ts';

/** The start of every response with a result, up to the value of `result`. */
const head = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

export const stringifyResponse = (id: RpcId, result: object): string =>
  `${head(id)}${JSON.stringify(result)}}`;

export const encodeResponse = (id: RpcId, result: object): Buffer =>
  Buffer.from(stringifyResponse(id, result));

/** A response whose result is an object with these members, in pieces, followed by the text of further members. */
export const encodeMembers = (
  id: RpcId,
  members: readonly (string | Buffer)[],
  after: string,
): Encoded => splice(`${head(id)}{`, members, `${after}}}`);

/** A response whose result is an object: an array of encoded elements, followed by the text of further members. */
export const encodeArray = (
  id: RpcId,
  name: string,
  elements: readonly Buffer[],
  after: string,
): Encoded => splice(`${head(id)}{"${name}":[`, elements, `]${after}}}`);

export const encodeRpcError = (id: RpcId, error: RpcError): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error }));

export const stringifyNotification = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params });
