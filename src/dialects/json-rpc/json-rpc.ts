import { GatewayError } from '../../platform/kernel/error.ts';
import type { ExactNumber } from '../../platform/kernel/exact-number.ts';

/** The longest text or number that is echoed; some are sent with every notification of a stream. */
const MAX_ID_LENGTH = 256;

/** The longest tool name that is looked up. */
const MAX_NAME_LENGTH = 256;

/** Names of arguments that one call may have. */
const MAX_ARGUMENTS = 1000;

export type RpcId = string | number | ExactNumber | null;

/** One JSON-RPC 2.0 request object; a notification has no id. */
export interface RpcRequest {
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: unknown;
}

/** A request that cannot be read, with the id it should be answered under. */
export interface UnreadableRpcRequest {
  readonly id: RpcId;
  readonly error: GatewayError;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Is it short enough to be echoed, and a string, a number or null? */
export function isId(value: unknown): value is RpcId {
  if (typeof value === 'number' || value === null) return true;
  if (typeof value === 'string') return value.length <= MAX_ID_LENGTH;
  return JSON.isRawJSON(value) && value.rawJSON.length <= MAX_ID_LENGTH;
}

const invalid = (id: RpcId, message: string): UnreadableRpcRequest => ({
  id,
  error: new GatewayError('invalid_request', message),
});

/** Reads one request object (JSON-RPC 2.0 section 4). */
export function decodeRequest(value: unknown): RpcRequest | UnreadableRpcRequest {
  if (!isObject(value)) return invalid(null, 'A request is a JSON object.');
  const { id, jsonrpc, method, params } = value;
  if (id !== undefined && !isId(id)) {
    return invalid(
      null,
      `The id must be a string of at most ${MAX_ID_LENGTH} characters, a number or null.`,
    );
  }
  if (jsonrpc !== '2.0') return invalid(id ?? null, 'The member jsonrpc must be "2.0".');
  if (typeof method !== 'string') return invalid(id ?? null, 'The member method must be a string.');
  return { id, method, params };
}

/** The parameters of `tools/call`, with `_clientId` taken out (docs/contract.md#call-a-tool). */
export interface CallParams {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly clientId: string | undefined;
}

/** Reads the parameters of `tools/call`. Throws `invalid_arguments`. */
export function decodeCallParams(params: unknown): CallParams {
  if (!isObject(params)) throw badParams('params must be an object with name and arguments.');
  const { name, _meta: meta } = params;
  if (typeof name !== 'string' || name === '') {
    throw badParams('The tool name is missing: params.name must be a string.');
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw badParams(`The tool name is longer than ${MAX_NAME_LENGTH} characters.`);
  }
  const given = params['arguments'] ?? {};
  if (!isObject(given)) throw badParams('params.arguments must be an object.');
  if (Object.keys(given).length > MAX_ARGUMENTS) {
    throw badParams(`params.arguments has more than ${MAX_ARGUMENTS} members.`);
  }
  const { _clientId: argumentsClientId, ...args } = given;
  const candidates = [
    params['_clientId'],
    isObject(meta) ? meta['_clientId'] : undefined,
    argumentsClientId,
  ];
  const clientId = candidates.find((candidate) => candidate !== undefined);
  return {
    name,
    arguments: args,
    // A value that is no string can name no stream: nothing is sent, the call itself is not affected.
    clientId: clientId === undefined || typeof clientId === 'string' ? clientId : '',
  };
}

function badParams(message: string): GatewayError {
  return new GatewayError('invalid_arguments', message);
}
