import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { RpcMessage } from '../../json-rpc/json-rpc.ts';
import { decodeMcpMessage, nameOf } from '../shared/decode.ts';

/**
 * Decodes one message; null for a response, which needs no processing because the gateway sends no requests. Throws
 * `invalid_request`.
 */
export const decodeLegacyMessage = (value: unknown): RpcMessage | null =>
  isResponse(value) ? null : decodeMcpMessage(value);

const isResponse = (value: unknown): boolean =>
  isObject(value) &&
  value['jsonrpc'] === '2.0' &&
  value['method'] === undefined &&
  (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));

/** The client's name, from the parameters of `initialize`. */
export const clientNameOf = (params: unknown): string | undefined =>
  nameOf(isObject(params) ? params['clientInfo'] : undefined);
