import type { ExactNumber } from '../../platform/kernel/exact-number.ts';

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
