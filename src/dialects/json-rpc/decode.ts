import { GatewayError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { isId, MAX_ID_LENGTH, type RpcId, type RpcMessage } from './json-rpc.ts';

/** Longest tool name that is looked up. */
const MAX_NAME_LENGTH = 256;

/** Arguments of one call. */
const MAX_ARGUMENTS = 1000;

const invalid = (id: RpcId, message: string) => ({
  id,
  error: new GatewayError('invalid_request', message),
});

const INVALID_ID = `The id must be a string of at most ${MAX_ID_LENGTH} characters, a number or null.`;

/** Decodes one request object (JSON-RPC 2.0 section 4). If it is not valid: the error, and the id for its response. */
export function decodeMessage(value: unknown): RpcMessage | ReturnType<typeof invalid> {
  if (!isObject(value)) return invalid(null, 'A request must be a JSON object.');
  const { id, jsonrpc, method, params } = value;
  if (id !== undefined && !isId(id)) return invalid(null, INVALID_ID);
  if (jsonrpc !== '2.0') return invalid(id ?? null, 'The member jsonrpc must be "2.0".');
  if (typeof method !== 'string') return invalid(id ?? null, 'The member method must be a string.');
  return { id, method, params: params ?? undefined, clientId: value['_clientId'] };
}

/** The parameters of `tools/call`, with `_clientId` removed from the arguments (docs/contract.md#call-a-tool). */
export interface CallParams {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly clientId: string | undefined;
  readonly traceparent: string | undefined;
}

/** Decodes the parameters of `tools/call`, and the `_clientId` beside them. Throws `invalid_arguments`. */
export function decodeCallParams({
  params,
  clientId: beside,
}: Pick<RpcMessage, 'params' | 'clientId'>): CallParams {
  if (!isObject(params)) throw invalidParams('params must be an object with name and arguments.');
  const { name, _meta: meta } = params;
  if (typeof name !== 'string' || name === '') {
    throw invalidParams('The tool name is missing: params.name must be a string.');
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw invalidParams(`The tool name is longer than ${MAX_NAME_LENGTH} characters.`);
  }
  const given = params['arguments'] ?? {};
  if (!isObject(given)) throw invalidParams('params.arguments must be an object.');
  if (hasMoreMembers(given, MAX_ARGUMENTS)) {
    throw invalidParams(`params.arguments has more than ${MAX_ARGUMENTS} members.`);
  }
  const metaObject = isObject(meta) ? meta : {};
  const clientId =
    params['_clientId'] ?? metaObject['_clientId'] ?? given['_clientId'] ?? beside ?? undefined;
  const { traceparent } = metaObject;
  return {
    name,
    arguments: withoutClientId(given),
    // A value that is not a string cannot name a stream: no event is sent, and the call itself is not affected.
    clientId: clientId === undefined || typeof clientId === 'string' ? clientId : '',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  };
}

/** Creates no list of names, which every call would pay. */
function hasMoreMembers(object: object, max: number): boolean {
  let members = 0;
  for (const _ in object) if (++members > max) return true;
  return false;
}

function withoutClientId(given: Record<string, unknown>): Record<string, unknown> {
  if (!('_clientId' in given)) return given;
  const { _clientId: _, ...args } = given;
  return args;
}

const invalidParams = (message: string): GatewayError =>
  new GatewayError('invalid_arguments', message);
