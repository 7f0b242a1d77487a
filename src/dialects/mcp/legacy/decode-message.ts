import { GatewayError } from '../../../platform/kernel/error.ts';
import { decodeRequest, isObject } from '../../json-rpc/json-rpc.ts';
import type { LegacyRequest } from './answer-request.ts';

/** What a client posts: a request, or a message that nobody answers. */
export type LegacyMessage =
  | ({ readonly kind: 'request' } & LegacyRequest)
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  /** The answer to a request of ours, of which there are none. */
  | { readonly kind: 'response' };

/** Reads one message. Throws `invalid_request`. */
export function decodeMessage(value: unknown): LegacyMessage {
  if (isResponse(value)) return { kind: 'response' };
  const request = decodeRequest(value);
  if ('error' in request) throw request.error;
  const { id, method, params } = request;
  if (id === undefined) return { kind: 'notification', method, params };
  if (id === null) throw new GatewayError('invalid_request', 'The id of a request is not null.');
  return { kind: 'request', id, method, params };
}

const isResponse = (value: unknown): boolean =>
  isObject(value) &&
  value['jsonrpc'] === '2.0' &&
  value['method'] === undefined &&
  (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));
