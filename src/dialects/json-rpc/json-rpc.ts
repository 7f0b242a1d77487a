import type { ExactNumber } from '../../platform/kernel/exact-number.ts';
import { type Encoded, splice } from './splice.ts';

/** Longest string or number that is echoed; some are repeated in every notification of a stream. */
export const MAX_ID_LENGTH = 256;

export type RpcId = string | number | ExactNumber | null;

/** A JSON-RPC 2.0 request object: a request, or a notification, which has no id and gets no response. */
export interface RpcMessage {
  readonly id: RpcId | undefined;
  readonly method: string;
  /** Undefined where the message has null. */
  readonly params: unknown;
  /** `_clientId` beside `params`. */
  readonly clientId?: unknown;
}

/** A message that gets a response. */
export interface RpcRequest extends RpcMessage {
  readonly id: RpcId;
}

export const isRequest = (message: RpcMessage): message is RpcRequest => message.id !== undefined;

/** The `error` member of a response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** Whether a value is a string, a number or null, and short enough to be echoed. */
export function isId(value: unknown): value is RpcId {
  if (typeof value === 'number' || value === null) return true;
  if (typeof value === 'string') return value.length <= MAX_ID_LENGTH;
  return JSON.isRawJSON(value) && value.rawJSON.length <= MAX_ID_LENGTH;
}

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
