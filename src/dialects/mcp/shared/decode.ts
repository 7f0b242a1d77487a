import { GatewayError } from '../../../platform/kernel/error.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import { decodeMessage } from '../../json-rpc/decode.ts';
import type { RpcMessage } from '../../json-rpc/json-rpc.ts';

/** Decodes one message of an MCP client. Throws `invalid_request`. */
export function decodeMcpMessage(value: unknown): RpcMessage {
  const message = decodeMessage(value);
  if ('error' in message) throw message.error;
  if (message.id !== null) return message;
  throw new GatewayError('invalid_request', 'The id of a request must not be null.');
}

/** The name in an `Implementation` object, which describes a client. */
export function nameOf(client: unknown): string | undefined {
  const name = isObject(client) ? client['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
